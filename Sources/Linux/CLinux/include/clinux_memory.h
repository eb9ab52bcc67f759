// What of the program's own code lies in memory.
#ifndef CLINUX_MEMORY_H
#define CLINUX_MEMORY_H

/// Lets go of the pages of code and constants that are mapped, of the program and its libraries; what is used again is mapped again
/// from the page cache. Nothing that was written is among them.
void clinux_let_go_of_code(void);

/// Has all threads take their memory from one heap, and what is free at its end given back. To be called before there is a second
/// thread.
void clinux_use_one_heap(void);

/// Has what is larger than a megabyte mapped by itself always, and unmapped when it is freed: the heap never grows by it.
void clinux_map_large(void);

/// Gives back what of the heap is free.
void clinux_trim_heap(void);

#endif
