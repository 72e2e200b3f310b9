"""MessagePack, as LangGraph's checkpoints use it. An extension is unpacked in its place: [module, class, fields, …]."""

import struct


def unpack(data):
    return value(data, 0)[0]


def value(data, at):
    kind = data[at]
    at += 1
    if kind < 0x80:
        return kind, at
    if kind >= 0xE0:
        return kind - 0x100, at
    if kind < 0x90:
        return pairs(data, at, kind & 0x0F)
    if kind < 0xA0:
        return values(data, at, kind & 0x0F)
    if kind < 0xC0:
        return data[at : at + (kind & 0x1F)].decode(), at + (kind & 0x1F)
    if kind in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[kind], at
    if kind in NUMBERS:
        form = NUMBERS[kind]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    if 0xD4 <= kind <= 0xD8:
        return extension(data, at, 1 << (kind - 0xD4))
    size, at = length(data, at, SIZES[kind])
    if kind in (0xC4, 0xC5, 0xC6):
        return data[at : at + size], at + size
    if kind in (0xC7, 0xC8, 0xC9):
        return extension(data, at, size)
    if kind in (0xD9, 0xDA, 0xDB):
        return data[at : at + size].decode(), at + size
    return values(data, at, size) if kind in (0xDC, 0xDD) else pairs(data, at, size)


NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
SIZES = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}


def length(data, at, wide):
    return int.from_bytes(data[at : at + wide], "big"), at + wide


def extension(data, at, size):
    inner = data[at + 1 : at + 1 + size]
    try:
        return unpack(inner), at + 1 + size
    except (UnicodeDecodeError, IndexError, KeyError, struct.error):
        return inner, at + 1 + size


def values(data, at, size):
    found = []
    for _ in range(size):
        one, at = value(data, at)
        found.append(one)
    return found, at


def pairs(data, at, size):
    found = {}
    for _ in range(size):
        key, at = value(data, at)
        found[key], at = value(data, at)
    return found, at
