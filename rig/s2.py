"""What nats-server compresses: S2, Snappy's format with repeated distances and larger pieces, in the framing of streams."""


def plain(data):
    """A block of a stream's file as it was before, whether it is compressed or not. Raises ValueError of one that is damaged."""
    if data[:3] != b"cmp":
        return data
    if data[3] == 0:
        return data[4:]
    if data[3] != 1:
        raise ValueError(f"it is compressed by {data[3]}")
    length, at = _number(data, 4)
    # Behind what is compressed stands the last record's digest, as it is.
    found = stream(data[at:-8]) + data[-8:]
    if len(found) != length:
        raise ValueError(f"it has {len(found)} bytes and says {length}")
    return found


def stream(data):
    """Chunks: compressed, plain, or nothing that is read."""
    found, at = b"", 0
    while at + 4 <= len(data):
        kind, length = data[at], int.from_bytes(data[at + 1:at + 4], "little")
        chunk, at = data[at + 4:at + 4 + length], at + 4 + length
        if kind == 0:
            found += block(chunk[4:])
        elif kind == 1:
            found += chunk[4:]
        elif kind < 0x80:
            raise ValueError(f"a chunk of kind {kind}")
    return found


def block(data):
    """One compressed block."""
    length, at = _number(data, 0)
    found, distance = bytearray(), 0
    while at < len(data):
        tag = data[at]
        at += 1
        count = tag >> 2
        if tag & 3 == 0:
            if count >= 60:
                size = count - 59
                count, at = int.from_bytes(data[at:at + size], "little"), at + size
            found += data[at:at + count + 1]
            at += count + 1
            continue
        if tag & 3 == 1:
            back, count, at = (tag >> 5) << 8 | data[at], count & 7, at + 1
            if back:
                distance = back
            elif count > 4:  # as far back as before, and longer
                size = count - 4
                count, at = int.from_bytes(data[at:at + size], "little") + (4, 1 << 8, 1 << 16)[size - 1], at + size
            count += 4
        else:
            size = 2 if tag & 3 == 2 else 4
            distance, count, at = int.from_bytes(data[at:at + size], "little"), count + 1, at + size
        if not 0 < distance <= len(found):
            raise ValueError("it copies what is not there")
        for _ in range(count):
            found.append(found[-distance])
    if len(found) != length:
        raise ValueError(f"a block has {len(found)} bytes and says {length}")
    return bytes(found)


def _number(data, at):
    """Seven bits a byte, the low ones first: the number, and what comes after it."""
    number = shift = 0
    while True:
        byte = data[at]
        number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return number, at
