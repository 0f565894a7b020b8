// The names of a test, before libc looks them up. Those in the file that TIDINGS_TEST_NAMES names have the address beside
// them. Other names that end in .test have none for now, and are written down in the file's neighbour.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_of_test(const char *name) {
    size_t length = name ? strlen(name) : 0;
    return length > 5 && strcmp(name + length - 5, ".test") == 0;
}

static int find(const char *path, const char *wanted, char *address) {
    char line[600], name[256];
    int found = 0;
    FILE *names = fopen(path, "re");
    while (names && !found && fgets(line, sizeof line, names))
        found = sscanf(line, "%255s %255s", name, address) == 2 && strcmp(name, wanted) == 0;
    if (names)
        fclose(names);
    return found;
}

static void note(const char *path, const char *name) {
    char asked[PATH_MAX];
    snprintf(asked, sizeof asked, "%s.asked", path);
    int file = open(asked, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    dprintf(file, "%s\n", name);
    close(file);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    typedef int lookup(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    lookup *next = (lookup *)dlsym(RTLD_NEXT, "getaddrinfo");
    const char *path = getenv("TIDINGS_TEST_NAMES");
    char address[256];
    if (!path || !is_of_test(name))
        return next(name, service, hints, found);
    if (find(path, name, address))
        return next(address, service, hints, found);
    note(path, name);
    return EAI_AGAIN;
}
