#!/usr/bin/env python3
"""Writes src/io/text/unicode_table.c: which characters words are made of, and how they are lower-cased.

    python3 scripts/make_unicode_table.py > src/io/text/unicode_table.c

The source is Python's unicodedata. ASCII is not in the tables: text.c knows it. With --check every character is compared
with str.lower() and str.casefold(), and the differences are listed by kind.
"""
import sys
import unicodedata

SPLITS, WORD, ALONE, SKIPPED = range(4)
ONE_BY_ONE = ('CJK UNIFIED', 'CJK COMPATIBILITY', 'HIRAGANA', 'KATAKANA', 'HALFWIDTH KATAKANA', 'IDEOGRAPHIC')
PICTURES = [(0x2600, 0x27bf), (0x1f000, 0x1faff)]
ZERO_WIDTH_SPACE = 0x200b
MANY = 512


def kind(code):
    """What a character does to words; None: not assigned."""
    name, category = unicodedata.name(chr(code), ''), unicodedata.category(chr(code))
    if category == 'Cn':
        return None
    if code != ZERO_WIDTH_SPACE and (category == 'Cf' or 'VARIATION SELECTOR' in name):
        return SKIPPED
    if category[0] in 'LMN':
        return ALONE if name.startswith(ONE_BY_ONE) else WORD
    if category == 'So' and any(a <= code <= b for a, b in PICTURES):
        return ALONE
    return SPLITS


def fold(code):
    """Simple case folding: one character for one. Where the full one gives several, the lower-case letter."""
    folded = chr(code).casefold()
    return ord(folded if len(folded) == 1 else chr(code).lower()[0])


def kinds():
    """Where another kind begins. Characters that are not assigned count as those before them, which makes fewer ranges,
    unless there are many in a row."""
    ranges, missing = [(0x80, SPLITS)], 0
    for code in range(0x80, 0x110000):
        this = kind(code)
        missing = missing + 1 if this is None else 0
        if this is None and missing < MANY:
            continue
        if missing == MANY:
            code, this = code - MANY + 1, SPLITS
        if this is not None and this != ranges[-1][1]:
            ranges.append((code, this))
    return ranges


def folds():
    """Ranges [first, last, step, delta] of characters that change."""
    ranges = []
    for code in range(0x80, 0x110000):
        delta = fold(code) - code
        if not delta:
            continue
        gap = code - ranges[-1][1] if ranges else 0
        if ranges and delta == ranges[-1][3] and gap in (1, 2) and ranges[-1][2] in (0, gap):
            ranges[-1][1:3] = [code, gap]
        else:
            ranges.append([code, code, 0, delta])
    return [(first, last, step or 1, delta) for first, last, step, delta in ranges]


def rows(items, width=120):
    line = '   '
    for item in items:
        if len(line) + 2 + len(item) > width:
            yield line
            line = '   '
        line += ' ' + item + ','
    yield line


def write():
    print('/* Made by scripts/make_unicode_table.py from Unicode %s: do not edit. */' % unicodedata.unidata_version)
    print('#include "io/unicode.h"\n\n/* clang-format off */')
    table = kinds()
    print('const uint32_t sl_char_kinds[] = { /* where a kind begins, times four, plus the kind */')
    print('\n'.join(rows(['%#x' % (code * 4 + this) for code, this in table])))
    print('};\nconst size_t sl_char_kinds_n = %d;\n' % len(table))
    table = folds()
    print('const sl_char_fold sl_char_folds[] = { /* first, last, step, what to add */')
    print('\n'.join(rows(['{%#x, %#x, %d, %d}' % r for r in table])))
    print('};\nconst size_t sl_char_folds_n = %d;' % len(table))


def check():
    lower, casefold = [], []
    for code in range(0x110000):
        c = chr(code)
        if chr(fold(code)) != c.lower():
            lower.append(c)
        if chr(fold(code)) != c.casefold():
            casefold.append(c)
    several = [c for c in casefold if len(c.casefold()) > 1]
    print('casefold(): %d characters differ, %d of them because it gives several: %s' %
          (len(casefold), len(several), ' '.join('%04X' % ord(c) for c in casefold if c not in several)))
    print('lower(): %d differ; folding also takes lower-case letters to their other forms:' % len(lower))
    for c in lower:
        print('  %04X %s: fold %04X, lower %s' % (ord(c), unicodedata.name(c, '?'), fold(ord(c)),
                                                  ' '.join('%04X' % ord(x) for x in c.lower())))


if __name__ == '__main__':
    check() if '--check' in sys.argv else write()
