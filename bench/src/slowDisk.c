/* Adds MILLISECONDS to each disk flush of a process that preloads this library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

static int after(const char *name, int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  usleep(MILLISECONDS * 1000);
  return flush(file);
}

int fdatasync(int file) { return after("fdatasync", file); }
int fsync(int file) { return after("fsync", file); }
