/* Faults of a disk, for one process: preloaded with LD_PRELOAD, it stands between the process and its
   files below the folder $DISK_FAULTS_DIR. The file $DISK_FAULTS_ORDER says what goes wrong now:

     slow-force MS   fsync and fdatasync wait so long before they begin
     fail-force      they fail with EIO
     fail-write      writes fail with EIO
     torn-write      the next write reaches the disk in part, and the process dies

   Each fault that happens adds a line to $DISK_FAULTS_ORDER.done. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SECTOR 512

/* Whether a file lies below the folder. */
static int concerned(int fd) {
  const char *dir = getenv("DISK_FAULTS_DIR");
  char link[64], path[4096];
  if (!dir) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  return strncmp(path, dir, strlen(dir)) == 0;
}

/* Whether this is the order of the moment; and its number. */
static int ordered(const char *what, long *number) {
  const char *file = getenv("DISK_FAULTS_ORDER");
  char text[64];
  if (!file) return 0;
  int fd = syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  if (n <= 0) return 0;
  text[n] = 0;
  size_t length = strlen(what);
  if (strncmp(text, what, length) != 0) return 0;
  if (number) *number = atol(text + length);
  return 1;
}

static void done(const char *what) {
  char file[4096];
  snprintf(file, sizeof file, "%s.done", getenv("DISK_FAULTS_ORDER"));
  int fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return;
  syscall(SYS_write, fd, what, strlen(what));
  syscall(SYS_write, fd, "\n", 1);
  syscall(SYS_close, fd);
}

/* Whether forcing fails; waits first if it is to be slow. */
static int force_fails(int fd) {
  long ms;
  if (!concerned(fd)) return 0;
  if (ordered("slow-force", &ms)) {
    struct timespec t = {ms / 1000, (ms % 1000) * 1000000};
    done("slow-force");
    syscall(SYS_nanosleep, &t, NULL);
  }
  if (!ordered("fail-force", NULL)) return 0;
  done("fail-force");
  errno = EIO;
  return 1;
}

/* Whether a write fails. One that is torn does not return: every other sector of it is written. */
static int write_fails(int fd, const char *bytes, size_t length, off_t at) {
  if (!concerned(fd)) return 0;
  if (ordered("torn-write", NULL)) {
    for (size_t i = 0; i < length; i += 2 * SECTOR) {
      size_t n = length - i < SECTOR ? length - i : SECTOR;
      /* Of a write that is no longer than a sector, a half. */
      if (length <= SECTOR) n = (length + 1) / 2;
      syscall(SYS_pwrite64, fd, bytes + i, n, at + (off_t) i);
    }
    done("torn-write");
    syscall(SYS_kill, getpid(), SIGKILL);
  }
  if (!ordered("fail-write", NULL)) return 0;
  done("fail-write");
  errno = EIO;
  return 1;
}

int fsync(int fd) {
  return force_fails(fd) ? -1 : syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  return force_fails(fd) ? -1 : syscall(SYS_fdatasync, fd);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  return write_fails(fd, bytes, length, at) ? -1 : syscall(SYS_pwrite64, fd, bytes, length, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  return pwrite64(fd, bytes, length, at);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  return write_fails(fd, bytes, length, lseek(fd, 0, SEEK_CUR))
             ? -1
             : syscall(SYS_write, fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (count > 0 && write_fails(fd, parts[0].iov_base, parts[0].iov_len, lseek(fd, 0, SEEK_CUR))) return -1;
  return syscall(SYS_writev, fd, parts, count);
}
