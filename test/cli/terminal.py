"""terminal.py LINES COLUMNS FILE: what a terminal of that size holds, what was scrolled out of it included, after
it was sent FILE. Knows the sequences that lampduel uses; another one is an error."""
import re
import sys


def show(lines, columns, text):
    screen = [[" "] * columns for _ in range(lines)]
    above = []
    row = column = 0
    for escape, count, letter, char in re.findall(r"(\x1b\[(\d*)([A-Za-z]))|([\s\S])", text):
        if letter == "A":
            row = max(0, row - int(count or 1))
        elif letter == "K" or letter == "J":
            screen[row][column:] = [" "] * (columns - column)
            for below in range(row + 1, lines) if letter == "J" else ():
                screen[below] = [" "] * columns
        elif escape:
            raise SystemExit("unknown sequence " + repr(escape))
        elif char == "\r":
            column = 0
        else:
            wraps = char != "\n" and column == columns
            if char == "\n" or wraps:
                row += 1
                column = 0 if wraps else column
            if row == lines:
                above.append(screen.pop(0))
                screen.append([" "] * columns)
                row -= 1
            if char != "\n":
                if ord(char) < 32:
                    raise SystemExit("unknown character " + repr(char))
                screen[row][column] = char
                column += 1
    return ["".join(line).rstrip() for line in above + screen]


with open(sys.argv[3], encoding="utf-8", newline="") as file:
    print("\n".join(show(int(sys.argv[1]), int(sys.argv[2]), file.read())))
