#define _GNU_SOURCE
#include "clinux_memory.h"

#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int let_go(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  (void)context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    // What can be written, or could before the loader was done with it, is left alone.
    if (part->p_type != PT_LOAD || part->p_flags & PF_W) continue;
    uintptr_t begin = (object->dlpi_addr + part->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + part->p_vaddr + part->p_filesz) & ~(page - 1);
    if (begin < end) (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
  }
  return 0;
}

void clinux_let_go_of_code(void) { (void)dl_iterate_phdr(let_go, NULL); }
void clinux_use_one_heap(void) { (void)mallopt(M_ARENA_MAX, 1); }
void clinux_map_large(void) { (void)mallopt(M_MMAP_THRESHOLD, 1 << 20); }
void clinux_trim_heap(void) { (void)malloc_trim(0); }
