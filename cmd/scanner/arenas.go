package main

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// glibc would give each of Go's threads a heap of its own, up to eight times the
// number of cores. In each of them OpenCV's pictures, 9 MB at 2304x1296, would
// stay behind as free memory that the other threads can't use: 40 MB in all.
// OpenCV asks for memory seldom and in large pieces, so that threads hardly wait
// for each other at two heaps. The number counts only when it is set before the
// second thread asks for memory, hence a constructor. MALLOC_ARENA_MAX in the
// environment wins.
__attribute__((constructor)) static void few_arenas(void) {
#ifdef __GLIBC__
	if (getenv("MALLOC_ARENA_MAX") == NULL)
		mallopt(M_ARENA_MAX, 2);
#endif
}
*/
import "C"
