// Loaded before libc into a program under test. It sees each call on the files below FAULT_DIR. A plan in the file
// FAULT_PLAN, which a test may change while the program runs, lets some of these calls fail or kills the program at one of
// them. With FAULT_LOG it records what each call changed, in their order, and syncs nothing: the record stands for the disk.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name)                                                         \
  ({                                                                       \
    static __typeof__(&name) real;                                         \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);          \
    real;                                                                  \
  })

// The kinds of calls, as `Calls` in mod.rs has them.
enum { OPEN = 1, CREATE = 2, READ = 4, WRITE = 8, TRUNCATE = 16, SYNC = 32, RENAME = 64, UNLINK = 128, MAP = 256 };
// What a plan does; a larger number is an error's, plus 1,000.
enum { KILL = 1, SHORT = 2, ERRORS = 1000 };

// As `Plan` in mod.rs writes it.
struct plan {
  _Atomic uint64_t action, calls, first, times, count, fired;
  char skipped[2][32];
};

static struct plan *plan;
static const char *folder, *record_path;
static size_t folder_length;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  folder = getenv("FAULT_DIR");
  folder_length = folder ? strlen(folder) : 0;
  record_path = getenv("FAULT_LOG");
  const char *path = getenv("FAULT_PLAN");
  int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  if (shared != MAP_FAILED) plan = shared;
}

static int is_below(const char *path) {
  return folder && strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || !path[folder_length]);
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcmp(path + length - tail, end) == 0;
}

// The path of an open file; false if it is not below the folder.
static int path_of(int fd, char *path) {
  char link[64];
  int before = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = folder ? readlink(link, path, PATH_MAX - 1) : -1;
  path[n < 0 ? 0 : n] = 0;
  errno = before;
  return is_below(path);
}

// A path as an absolute one; false if it is not below the folder.
static int resolved(int at, const char *path, char *full) {
  if (!folder || !path) return 0;
  char base[PATH_MAX] = "";
  int before = errno;
  if (path[0] != '/' && at == AT_FDCWD && !getcwd(base, sizeof base)) base[0] = 0;
  if (path[0] != '/' && at != AT_FDCWD) path_of(at, base);
  int length = snprintf(full, PATH_MAX, "%s%s%s", base, path[0] == '/' ? "" : "/", path);
  if (length >= PATH_MAX) return 0;
  while (length > 1 && full[length - 1] == '/') full[--length] = 0;
  errno = before;
  return is_below(full);
}

static const char *inside(const char *path) {
  return path[folder_length] ? path + folder_length + 1 : "";
}

// A call and its record are one step among the threads.
static void in_order(void) {
  if (record_path) pthread_mutex_lock(&order);
}
static void done(void) {
  if (record_path) pthread_mutex_unlock(&order);
}

// What happens to one more call: nothing, SHORT or the number of an error.
static int fault(int call, const char *path) {
  if (!plan || !(plan->calls & (uint64_t)call)) return 0;
  for (int i = 0; i < 2; i++)
    if (plan->skipped[i][0] && strstr(path, plan->skipped[i])) return 0;
  uint64_t now = atomic_fetch_add(&plan->count, 1) + 1, action = plan->action;
  if (!action || now < plan->first || now - plan->first >= plan->times) return 0;
  atomic_fetch_add(&plan->fired, 1);
  if (action == KILL) {
    // Whatever was done is in the record.
    in_order();
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  return action > ERRORS ? (int)(action - ERRORS) : -(int)action;
}

#define FAILS(call, path, answer)              \
  int failed = fault(call, path);              \
  if (failed > 0) {                            \
    errno = failed;                            \
    return answer;                             \
  }
#define SHORTENED(size) (failed == -SHORT && (size) > 1 ? (size) / 2 : (size))

// Appends to the record: a kind, two numbers, and two texts. The path says whether it is of interest: what connections of
// processes share in memory is not on the disk.
static void record(const char *path, char kind, uint64_t a, uint64_t b, const void *one, size_t ones, const void *two,
                   size_t twos) {
  if (!record_path || ends_with(path, "-shm")) return;
  int before = errno;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, record_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) abort();
  struct __attribute__((packed)) {
    uint8_t kind;
    uint64_t a, b;
    uint32_t ones, twos;
  } head = {(uint8_t)kind, a, b, (uint32_t)ones, (uint32_t)twos};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)one, ones}, {(void *)two, twos}};
  if (syscall(SYS_writev, fd, parts, 3) != (long)(sizeof head + ones + twos)) abort();
  syscall(SYS_close, fd);
  errno = before;
}

static uint64_t node(int fd) {
  struct stat about;
  return fstat(fd, &about) == 0 ? about.st_ino : 0;
}
static uint64_t node_at(const char *path) {
  struct stat about;
  return lstat(path, &about) == 0 ? about.st_ino : 0;
}

static int opens(int at, const char *path, int flags, mode_t mode) {
  char full[PATH_MAX];
  if (!resolved(at, path, full)) return REAL(openat)(at, path, flags, mode);
  struct stat about;
  // A file without a name is gone with the power, and with the process.
  int before = errno, is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
  int is_new = is_nameless || ((flags & O_CREAT) && lstat(full, &about) != 0);
  errno = before;
  FAILS(is_new ? CREATE : OPEN, full, -1);
  in_order();
  int fd = REAL(openat)(at, path, flags, mode);
  if (fd >= 0 && fstat(fd, &about) == 0 && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode))) {
    uint64_t how = (is_new ? 1 : 0) | (flags & O_TRUNC ? 2 : 0) | (S_ISDIR(about.st_mode) ? 4 : 0);
    const char *name = is_nameless ? "" : inside(full);
    record(full, 'o', about.st_ino, how, name, strlen(name), NULL, 0);
  }
  done();
  return fd;
}

#define MODE(flags, mode)                                            \
  mode_t mode = 0;                                                   \
  if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {     \
    va_list rest;                                                    \
    va_start(rest, flags);                                           \
    mode = va_arg(rest, mode_t);                                     \
    va_end(rest);                                                    \
  }
#define OPENS(name)                                                  \
  int name(const char *path, int flags, ...) {                       \
    MODE(flags, mode);                                               \
    return opens(AT_FDCWD, path, flags, mode);                       \
  }
OPENS(open)
OPENS(open64)
#define OPENS_AT(name)                                               \
  int name(int at, const char *path, int flags, ...) {               \
    MODE(flags, mode);                                               \
    return opens(at, path, flags, mode);                             \
  }
OPENS_AT(openat)
OPENS_AT(openat64)
int creat(const char *path, mode_t mode) {
  return opens(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

// Writes at a position; at that of the file if it is negative.
static ssize_t writes(int fd, const void *bytes, size_t size, off64_t at) {
  char path[PATH_MAX];
  if (fd <= 2 || !path_of(fd, path)) return at < 0 ? REAL(write)(fd, bytes, size) : REAL(pwrite64)(fd, bytes, size, at);
  FAILS(WRITE, path, -1);
  in_order();
  ssize_t written =
      at < 0 ? REAL(write)(fd, bytes, SHORTENED(size)) : REAL(pwrite64)(fd, bytes, SHORTENED(size), at);
  if (written > 0) {
    off64_t from = at < 0 ? lseek64(fd, 0, SEEK_CUR) - written : at;
    record(path, 'w', node(fd), (uint64_t)from, bytes, (size_t)written, NULL, 0);
  }
  done();
  return written;
}
ssize_t write(int fd, const void *bytes, size_t size) {
  return writes(fd, bytes, size, -1);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  return writes(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  return writes(fd, bytes, size, at);
}
// The first part that has bytes: a caller goes on with the rest.
static ssize_t writes_first(int fd, const struct iovec *parts, int count, off64_t at) {
  int first = 0;
  while (first < count - 1 && !parts[first].iov_len) first++;
  return writes(fd, parts[first].iov_base, parts[first].iov_len, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  char path[PATH_MAX];
  if (fd <= 2 || count < 1 || !path_of(fd, path)) return REAL(writev)(fd, parts, count);
  return writes_first(fd, parts, count, -1);
}
#define PWRITEV(name, offset)                                                  \
  ssize_t name(int fd, const struct iovec *parts, int count, offset at) {      \
    char path[PATH_MAX];                                                       \
    if (count < 1 || !path_of(fd, path)) return REAL(name)(fd, parts, count, at); \
    return writes_first(fd, parts, count, at);                                 \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

// A caller that may not copy within the kernel reads and writes.
static int copies(int to) {
  char path[PATH_MAX];
  if (!path_of(to, path)) return 0;
  errno = ENOSYS;
  return 1;
}
ssize_t copy_file_range(int a, off64_t *x, int b, off64_t *y, size_t size, unsigned flags) {
  return copies(b) ? -1 : REAL(copy_file_range)(a, x, b, y, size, flags);
}
ssize_t sendfile(int to, int from, off_t *at, size_t size) {
  return copies(to) ? -1 : REAL(sendfile)(to, from, at, size);
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
  return copies(to) ? -1 : REAL(sendfile64)(to, from, at, size);
}
ssize_t splice(int a, off64_t *x, int b, off64_t *y, size_t size, unsigned flags) {
  return copies(b) ? -1 : REAL(splice)(a, x, b, y, size, flags);
}

#define READS(name, PARAMETERS, ARGUMENTS)                           \
  ssize_t name PARAMETERS {                                          \
    char path[PATH_MAX];                                             \
    if (fd <= 2 || !plan || !(plan->calls & READ) || !path_of(fd, path)) return REAL(name) ARGUMENTS; \
    FAILS(READ, path, -1);                                           \
    size = SHORTENED(size);                                          \
    return REAL(name) ARGUMENTS;                                     \
  }
READS(read, (int fd, void *bytes, size_t size), (fd, bytes, size))
READS(pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at))
READS(pread64, (int fd, void *bytes, size_t size, off64_t at), (fd, bytes, size, at))

#define MAPS(name, offset)                                                            \
  void *name(void *start, size_t size, int access, int flags, int fd, offset at) {    \
    char path[PATH_MAX];                                                              \
    if (fd < 0 || !plan || !(plan->calls & MAP) || !path_of(fd, path))                \
      return REAL(name)(start, size, access, flags, fd, at);                          \
    FAILS(MAP, path, MAP_FAILED);                                                     \
    return REAL(name)(start, size, access, flags, fd, at);                            \
  }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

static int truncates(int fd, off64_t size) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return REAL(ftruncate64)(fd, size);
  FAILS(TRUNCATE, path, -1);
  in_order();
  int answer = REAL(ftruncate64)(fd, size);
  if (!answer) record(path, 't', node(fd), (uint64_t)size, NULL, 0, NULL, 0);
  done();
  return answer;
}
int ftruncate(int fd, off_t size) {
  return truncates(fd, size);
}
int ftruncate64(int fd, off64_t size) {
  return truncates(fd, size);
}

// The number of an error, or 0.
static int allocates(int fd, off64_t at, off64_t size) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return REAL(posix_fallocate64)(fd, at, size);
  FAILS(WRITE, path, failed);
  in_order();
  struct stat about;
  int answer = REAL(posix_fallocate64)(fd, at, size);
  if (!answer && fstat(fd, &about) == 0)
    record(path, 't', about.st_ino, (uint64_t)about.st_size, NULL, 0, NULL, 0);
  done();
  return answer;
}
int posix_fallocate(int fd, off_t at, off_t size) {
  return allocates(fd, at, size);
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
  return allocates(fd, at, size);
}

// The names in a folder with their numbers: renames that come without libc are seen by them.
static size_t listing(const char *path, char *names, size_t room) {
  DIR *all = opendir(path);
  size_t length = 0;
  for (struct dirent *one = all ? readdir(all) : NULL; one; one = readdir(all)) {
    if (!strcmp(one->d_name, ".") || !strcmp(one->d_name, "..") || ends_with(one->d_name, "-shm")) continue;
    int more = snprintf(names + length, room - length, "%llu/%s\n", (unsigned long long)one->d_ino, one->d_name);
    if (more < 0 || length + (size_t)more >= room) abort();
    length += (size_t)more;
  }
  if (all) closedir(all);
  return length;
}

static int syncs(int fd, int (*real)(int)) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return real(fd);
  int failed = fault(SYNC, path);
  if (failed > 0) {
    in_order();
    record(path, 'f', node(fd), 0, NULL, 0, NULL, 0);
    done();
    errno = failed;
    return -1;
  }
  if (!record_path) return real(fd);
  static char names[1 << 18];
  struct stat about;
  in_order();
  size_t length = 0;
  if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) length = listing(path, names, sizeof names);
  record(path, 's', about.st_ino, S_ISDIR(about.st_mode), names, length, NULL, 0);
  done();
  return 0;
}
int fsync(int fd) {
  return syncs(fd, REAL(fsync));
}
int fdatasync(int fd) {
  return syncs(fd, REAL(fdatasync));
}

static int renames(int x, const char *a, int y, const char *b, unsigned flags) {
  char from[PATH_MAX], to[PATH_MAX];
  if (!resolved(y, b, to)) return REAL(renameat2)(x, a, y, b, flags);
  FAILS(RENAME, to, -1);
  // Nothing of this project moves a file in or out.
  if (!resolved(x, a, from)) abort();
  in_order();
  uint64_t moved = node_at(from);
  int answer = REAL(renameat2)(x, a, y, b, flags);
  if (!answer) record(to, 'r', moved, 0, inside(from), strlen(inside(from)), inside(to), strlen(inside(to)));
  done();
  return answer;
}
int rename(const char *a, const char *b) {
  return renames(AT_FDCWD, a, AT_FDCWD, b, 0);
}
int renameat(int x, const char *a, int y, const char *b) {
  return renames(x, a, y, b, 0);
}
int renameat2(int x, const char *a, int y, const char *b, unsigned flags) {
  return renames(x, a, y, b, flags);
}

static int links(int x, const char *a, int y, const char *b, int flags) {
  char to[PATH_MAX];
  if (!resolved(y, b, to)) return REAL(linkat)(x, a, y, b, flags);
  FAILS(CREATE, to, -1);
  in_order();
  int answer = REAL(linkat)(x, a, y, b, flags);
  if (!answer) record(to, 'l', node_at(to), 0, inside(to), strlen(inside(to)), NULL, 0);
  done();
  return answer;
}
int link(const char *a, const char *b) {
  return links(AT_FDCWD, a, AT_FDCWD, b, 0);
}
int linkat(int x, const char *a, int y, const char *b, int flags) {
  return links(x, a, y, b, flags);
}

static int unlinks(int at, const char *path, int flags) {
  char full[PATH_MAX];
  if (!resolved(at, path, full)) return REAL(unlinkat)(at, path, flags);
  FAILS(UNLINK, full, -1);
  in_order();
  int answer = REAL(unlinkat)(at, path, flags);
  if (!answer) record(full, 'u', 0, 0, inside(full), strlen(inside(full)), NULL, 0);
  done();
  return answer;
}
int unlink(const char *path) {
  return unlinks(AT_FDCWD, path, 0);
}
int rmdir(const char *path) {
  return unlinks(AT_FDCWD, path, AT_REMOVEDIR);
}
int unlinkat(int at, const char *path, int flags) {
  return unlinks(at, path, flags);
}

static int makes(int at, const char *path, mode_t mode) {
  char full[PATH_MAX];
  struct stat about;
  if (!resolved(at, path, full)) return REAL(mkdirat)(at, path, mode);
  int before = errno, is_new = lstat(full, &about) != 0;
  errno = before;
  FAILS(is_new ? CREATE : 0, full, -1);
  in_order();
  int answer = REAL(mkdirat)(at, path, mode);
  if (!answer) record(full, 'm', node_at(full), 0, inside(full), strlen(inside(full)), NULL, 0);
  done();
  return answer;
}
int mkdir(const char *path, mode_t mode) {
  return makes(AT_FDCWD, path, mode);
}
int mkdirat(int at, const char *path, mode_t mode) {
  return makes(at, path, mode);
}
