#!/usr/bin/env python3
"""Draws the three pictures of the site's article: share/wordpress/uploads/*.png.

Only the standard library; the same bytes every time. The pictures are committed, this is how
they came to be.
"""
import math
import os
import struct
import sys
import zlib

WIDTH, HEIGHT = 480, 270
PALETTE = [(250, 248, 240), (40, 61, 75), (200, 90, 60), (110, 150, 120), (205, 205, 200)]


def png(pixels):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0))
            + chunk(b"PLTE", b"".join(bytes(c) for c in PALETTE))
            + chunk(b"IDAT", zlib.compress(rows, 9))
            + chunk(b"IEND", b""))


def canvas():
    pixels = [[0] * WIDTH for _ in range(HEIGHT)]
    box(pixels, 40, 20, 42, 240, 1)
    box(pixels, 40, 238, 460, 240, 1)
    return pixels


def box(pixels, x0, y0, x1, y1, colour):
    for y in range(max(0, y0), min(HEIGHT, y1)):
        for x in range(max(0, x0), min(WIDTH, x1)):
            pixels[y][x] = colour


def bars():
    pixels = canvas()
    for i, height in enumerate((190, 172, 160, 44, 36, 30)):
        box(pixels, 60 + 66 * i, 238 - height, 100 + 66 * i, 238, 2 if i < 3 else 3)
    return pixels


def warm():
    pixels = canvas()
    box(pixels, 42, 205, 460, 206, 4)
    for x in range(50, 455):
        y = int(205 - 170 * math.exp(-(x - 50) / 45.0) + 3 * math.sin(x / 3.0))
        box(pixels, x, y - 2, x + 3, y + 2, 2)
    return pixels


def pairs():
    pixels = canvas()
    for i in range(15):
        drift = 6 * i + 9 * math.sin(2.1 * i)
        left, right = int(70 + drift), int(104 + drift)
        box(pixels, 58 + 26 * i, left, 61 + 26 * i, right, 4)
        box(pixels, 55 + 26 * i, left - 4, 64 + 26 * i, left + 5, 2)
        box(pixels, 55 + 26 * i, right - 4, 64 + 26 * i, right + 5, 3)
    return pixels


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "..", "share", "wordpress", "uploads")
    for draw in (bars, warm, pairs):
        with open(os.path.join(folder, draw.__name__ + ".png"), "wb") as out:
            out.write(png(draw()))


main()
