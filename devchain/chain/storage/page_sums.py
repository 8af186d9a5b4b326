"""Checksums of the pages of an SQLite file, in a file beside it, to find damage at the start.

SQLite notices a page whose structure is broken. It does not notice other bytes in a key, and then
finds no row where there is one. So the CRC-32 of each page is kept here, and compared before a
file is opened.

Pages change only when the write-ahead log is moved into the file (a checkpoint). The sums of the
pages in the log are written before that; a page that is in the log is not compared, because a
process that was killed may have left it as it was before, or half written.

    commit    → log: page 3', 8'                          file: 1 2 3 4     sums: 1 2 3 4
    checkpoint, first the sums:                           file: 1 2 3 4     sums: 1 2 3' 4 … 8'
                then the pages, and the log is emptied:   file: 1 2 3' 4 …  sums: 1 2 3' 4 … 8'
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

MAGIC = b"devchain page sums 1\n\0\0\0"
PAGE_SIZE_AT = 16
"""Where the header of the SQLite file has its page size, in two bytes; 1 means 65,536."""
MIN_HEADER, MIN_PAGE = 100, 512
PAGES_AT_ONCE = 256

LOG_HEADER = struct.Struct(">IIII8s")
"""Of the write-ahead log: magic number, format, page size, checkpoint; salt of its frames."""
LOG_HEADER_SIZE = 32
FRAME_HEADER = struct.Struct(">II8s")
"""Of a page in it: the page's number, the size of the file if it ends a commit; salt."""
FRAME_HEADER_SIZE = 24


class PageSums:
    """The checksums of one file's pages; `path` is where they are kept."""

    def __init__(self, database: Path) -> None:
        """Read the sums that were written last, if any were and the file of sums is whole."""
        self.path = database.with_name(f"{database.name}.sums")
        self._database = database
        self._log = database.with_name(f"{database.name}-wal")
        self._sums = self._read()

    @property
    def is_known(self) -> bool:
        """Whether there are sums to compare with."""
        return self._sums is not None

    def _read(self) -> array[int] | None:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        body, end = content[:-4], content[-4:]
        if not body.startswith(MAGIC) or crc32(body).to_bytes(4, "big") != end:
            return None
        return _array(body[len(MAGIC) :])

    def damaged_pages(self) -> list[int]:
        """The numbers of the pages that are not as they were written."""
        if self._sums is None:
            return []
        found = _sums_of(self._database)
        in_log = {number for number, _, _ in self._committed()}
        count = max(len(found), len(self._sums))
        return [
            number
            for number in range(1, count + 1)
            if number not in in_log
            and found[number - 1 : number] != self._sums[number - 1 : number]
        ]

    def compute(self) -> None:
        """Take the file as it is, whose log is empty."""
        self._sums = _sums_of(self._database)
        self._write()

    def add_log(self) -> None:
        """Write the sums that the file will have when its log has been moved into it."""
        if self._sums is None:
            return
        size = 0
        for number, committed_size, page in self._committed():
            self._sums.extend([0] * (number - len(self._sums)))
            self._sums[number - 1] = crc32(page)
            size = committed_size or size
        if size:
            del self._sums[size:]
            self._write()

    def _write(self) -> None:
        if self._sums is None:
            return
        body = MAGIC + _big_endian(self._sums).tobytes()
        new = self.path.with_name(f"{self.path.name}.new")
        with new.open("wb") as file:
            file.write(body + crc32(body).to_bytes(4, "big"))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)

    def _committed(self) -> Iterator[tuple[int, int, memoryview]]:
        # Frames of an earlier log, which stay behind the present one, have another salt.
        try:
            content = self._log.read_bytes()
        except FileNotFoundError:
            return
        if len(content) < LOG_HEADER_SIZE:
            return
        _, _, page_size, _, salt = LOG_HEADER.unpack_from(content)
        frame = FRAME_HEADER_SIZE + page_size
        waiting: list[tuple[int, int, memoryview]] = []
        for start in range(LOG_HEADER_SIZE, len(content) - frame + 1, frame):
            number, size, frame_salt = FRAME_HEADER.unpack_from(content, start)
            if frame_salt != salt:
                return
            page = memoryview(content)[start + FRAME_HEADER_SIZE : start + frame]
            waiting.append((number, size, page))
            if size:
                yield from waiting
                waiting.clear()


def _sums_of(database: Path) -> array[int]:
    found = array("I")
    with database.open("rb") as file:
        header = file.read(MIN_HEADER)
        size = int.from_bytes(header[PAGE_SIZE_AT : PAGE_SIZE_AT + 2], "big")
        size = 65_536 if size == 1 else max(size, MIN_PAGE)
        file.seek(0)
        while part := file.read(PAGES_AT_ONCE * size):
            with memoryview(part) as view:
                found.extend(
                    [crc32(view[start : start + size]) for start in range(0, len(part), size)]
                )
    return found


def _array(data: bytes) -> array[int]:
    found = array("I")
    found.frombytes(data)
    return _big_endian(found)


def _big_endian(sums: array[int]) -> array[int]:
    swapped = array("I", sums)
    if struct.pack("=I", 1) != struct.pack(">I", 1):
        swapped.byteswap()
    return swapped
