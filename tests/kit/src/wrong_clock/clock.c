// Loaded before libc into a program under test: its clock of the day is CLOCK_AHEAD seconds ahead, or behind where that is
// negative. The monotonic clock goes on as it does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int failed = real(id, at);
  const char *ahead = getenv("CLOCK_AHEAD");
  if (!failed && ahead && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += atoll(ahead);
  return failed;
}
