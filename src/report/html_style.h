/* The page's style sheet: part of the page, so that it needs no other file and no network. */
#ifndef LAMPDUEL_REPORT_HTML_STYLE_H
#define LAMPDUEL_REPORT_HTML_STYLE_H

extern const char html_style[];

#endif
