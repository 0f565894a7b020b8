// Loaded before libc into a program under test: counts what it does to files under FAULT_DIR, and at step FAULT_AT ends
// the process as a power cut would (FAULT_KIND=kill) or fills the disk from then on (FAULT_KIND=full), or while the file
// FAULT_WHILE is there. With neither it only counts. The number of steps goes to FAULT_LOG.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static atomic_long steps;

__attribute__((destructor)) static void report(void) {
  const char *log = getenv("FAULT_LOG");
  FILE *out = log ? fopen(log, "w") : NULL;
  if (out) {
    fprintf(out, "%ld\n", atomic_load(&steps));
    fclose(out);
  }
}

static int concerns(const char *path) {
  const char *dir = getenv("FAULT_DIR");
  return dir && path && strncmp(path, dir, strlen(dir)) == 0;
}

static int path_of(int fd, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, size - 1);
  path[n < 0 ? 0 : n] = 0;
  return concerns(path);
}

// One more step; whether it must fail for want of room.
static int step(int grows) {
  const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
  if (!kind) kind = "";
  int full = strcmp(kind, "full") == 0;
  if (full && !grows) return 0;
  const char *during = getenv("FAULT_WHILE");
  if (during && access(during, F_OK) != 0) return 0;
  long now = atomic_fetch_add(&steps, 1) + 1;
  if (!at || now < atol(at)) return 0;
  if (full) {
    errno = ENOSPC;
    return 1;
  }
  if (now == atol(at) && strcmp(kind, "kill") == 0) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  return 0;
}

// What happens inside half-made files is counted only where it can fail: nobody looks at a half-made file.
static int step_at(const char *path, int grows) {
  const char *kind = getenv("FAULT_KIND");
  int full = kind && strcmp(kind, "full") == 0;
  if (!full && (strstr(path, "/.restor") || strstr(path, "-shm"))) return 0;
  return step(grows);
}

static int step_fd(int fd, int grows) {
  char path[4096];
  return path_of(fd, path, sizeof path) && step_at(path, grows);
}

int rename(const char *a, const char *b) {
  if (concerns(b)) step(0);
  return REAL(rename)(a, b);
}
int link(const char *a, const char *b) {
  if (concerns(b) && step(1)) return -1;
  return REAL(link)(a, b);
}
int linkat(int x, const char *a, int y, const char *b, int flags) {
  if (concerns(b) && step(1)) return -1;
  return REAL(linkat)(x, a, y, b, flags);
}
int unlink(const char *a) {
  if (concerns(a)) step_at(a, 0);
  return REAL(unlink)(a);
}
int unlinkat(int x, const char *a, int flags) {
  char path[4096];
  if (concerns(a)) step_at(a, 0);
  else if (x >= 0 && path_of(x, path, sizeof path)) step_at(path, 0);
  return REAL(unlinkat)(x, a, flags);
}
int rmdir(const char *a) {
  if (concerns(a)) step(0);
  return REAL(rmdir)(a);
}
int mkdir(const char *a, mode_t mode) {
  struct stat about;
  if (concerns(a) && stat(a, &about) != 0 && step(1)) return -1;
  return REAL(mkdir)(a, mode);
}
int fsync(int fd) {
  step_fd(fd, 0);
  return REAL(fsync)(fd);
}
int fdatasync(int fd) {
  step_fd(fd, 0);
  return REAL(fdatasync)(fd);
}
int ftruncate(int fd, off_t size) {
  step_fd(fd, 0);
  return REAL(ftruncate)(fd, size);
}
int ftruncate64(int fd, off64_t size) {
  step_fd(fd, 0);
  return REAL(ftruncate64)(fd, size);
}
ssize_t write(int fd, const void *bytes, size_t size) {
  if (fd > 2 && step_fd(fd, 1)) return -1;
  return REAL(write)(fd, bytes, size);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  if (step_fd(fd, 1)) return -1;
  return REAL(pwrite)(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  if (step_fd(fd, 1)) return -1;
  return REAL(pwrite64)(fd, bytes, size, at);
}
ssize_t copy_file_range(int a, off64_t *x, int b, off64_t *y, size_t size, unsigned flags) {
  if (step_fd(b, 1)) return -1;
  return REAL(copy_file_range)(a, x, b, y, size, flags);
}

#define OPENS(name)                                                        \
  int name(const char *path, int flags, ...) {                             \
    va_list rest;                                                          \
    va_start(rest, flags);                                                 \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                          \
    struct stat about;                                                     \
    if ((flags & O_CREAT) && concerns(path) && stat(path, &about) != 0 && step_at(path, 1)) return -1; \
    return REAL(name)(path, flags, mode);                                  \
  }
OPENS(open)
OPENS(open64)
