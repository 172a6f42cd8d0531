// A server whose latency is known, because it delays each answer as it is told and logs what it really did: from the moment
// the kernel had the request's bytes (SO_TIMESTAMPNS, so that the server's own lateness is in the log) until its answer was
// written. Prints the log's percentiles in microseconds as one line of JSON when it gets SIGTERM.
//   cc -O2 -o delay_server delay_server.c
//   ./delay_server PORT delays 0:100,0.5:300,0.9:1000,0.99:5000,0.999:20000,1:30000   quantile:microseconds, straight between
//   ./delay_server PORT stall 200 2000     answers at once, but stands still for 200 ms every 2,000 ms
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MOST_POINTS 32
#define MOST_WAITING (1 << 20)
#define MOST_LOGGED (1 << 25)
static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

struct waiting {
  int64_t due, arrived;
  int socket;
};
static struct waiting heap[MOST_WAITING];
static int heaped;
static double quantiles[MOST_POINTS], delays_us[MOST_POINTS];
static int points;
static uint32_t *log_ns;
static long logged;
static volatile sig_atomic_t ended;

static void end(int signal) {
  (void)signal;
  ended = 1;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);  // the clock of the kernel's stamps
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static uint64_t random_state = 42;
static double uniform(void) {  // SplitMix64
  uint64_t z = random_state += 0x9E3779B97F4A7C15ULL;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
  return ((z ^ z >> 31) >> 11) * 0x1.0p-53;
}

static int64_t delay_ns(void) {
  double u = uniform();
  int i = 1;
  while (i < points - 1 && u > quantiles[i]) i++;
  double part = (u - quantiles[i - 1]) / (quantiles[i] - quantiles[i - 1]);
  return (int64_t)(1000 * (delays_us[i - 1] + part * (delays_us[i] - delays_us[i - 1])));
}

static void put(struct waiting w) {
  int i = heaped++;
  for (; i > 0 && heap[(i - 1) / 2].due > w.due; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
  heap[i] = w;
}

static struct waiting take(void) {
  struct waiting first = heap[0], last = heap[--heaped];
  int i = 0;
  for (int child; (child = 2 * i + 1) < heaped; i = child) {
    if (child + 1 < heaped && heap[child + 1].due < heap[child].due) child++;
    if (heap[child].due >= last.due) break;
    heap[i] = heap[child];
  }
  heap[i] = last;
  return first;
}

static void answer(int socket, int64_t arrived) {
  if (send(socket, ANSWER, sizeof ANSWER - 1, MSG_NOSIGNAL) < 0) return;
  if (logged < MOST_LOGGED) log_ns[logged++] = (uint32_t)(now_ns() - arrived);
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

// Reads requests without a body; returns 0 at the connection's end.
static int serve(int socket, int delayed) {
  static char bytes[65536];
  char control[256];
  struct iovec into = {bytes, sizeof bytes};
  struct msghdr message = {.msg_iov = &into, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  int64_t seen = now_ns(), arrived = seen;
  ssize_t length = recvmsg(socket, &message, 0);
  if (length <= 0) return length < 0 && errno == EINTR;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;
      memcpy(&t, CMSG_DATA(c), sizeof t);
      arrived = t.tv_sec * 1000000000LL + t.tv_nsec;
    }
  }
  for (char *p = bytes; (p = memmem(p, bytes + length - p, "\r\n\r\n", 4)); p += 4) {
    if (!delayed) {
      answer(socket, arrived);
    } else if (heaped < MOST_WAITING) {
      put((struct waiting){arrived + delay_ns(), arrived, socket});
    }
  }
  return 1;
}

int main(int argc, char **argv) {
  int delayed = argc == 4 && !strcmp(argv[2], "delays"), stalls = argc == 5 && !strcmp(argv[2], "stall");
  if (!delayed && !stalls) {
    fprintf(stderr, "usage: delay_server PORT delays QUANTILE:MICROSECONDS,... | stall MILLISECONDS EVERY_MILLISECONDS\n");
    return 2;
  }
  if (delayed) {
    for (char *point = strtok(argv[3], ","); point && points < MOST_POINTS; point = strtok(NULL, ",")) {
      if (sscanf(point, "%lf:%lf", &quantiles[points], &delays_us[points]) != 2) {
        fprintf(stderr, "delay_server: expected quantile:microseconds, found %s\n", point);
        return 2;
      }
      points++;
    }
    if (points < 2 || quantiles[0] != 0 || quantiles[points - 1] != 1) {
      fprintf(stderr, "delay_server: the quantiles must go from 0 to 1\n");
      return 2;
    }
  }
  int64_t stall_ns = stalls ? atoll(argv[3]) * 1000000 : 0, every_ns = stalls ? atoll(argv[4]) * 1000000 : 0;
  int64_t next_stall = now_ns() + every_ns;
  log_ns = malloc(MOST_LOGGED * sizeof *log_ns);
  signal(SIGTERM, end);
  signal(SIGINT, end);
  int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, poll = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
    perror("delay_server: bind");
    return 1;
  }
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
  while (!ended) {
    int64_t now = now_ns();
    while (heaped && heap[0].due <= now) {
      struct waiting w = take();
      answer(w.socket, w.arrived);
      now = now_ns();
    }
    if (stalls && now >= next_stall) {
      usleep((useconds_t)(stall_ns / 1000));
      next_stall += every_ns;
    }
    // Spins before a delayed answer and in the last millisecond before a stall: a sleep would be late.
    int64_t idle_ns = delayed ? 0 : next_stall - now_ns() - 1000000;
    int ready = epoll_wait(poll, events, 256, idle_ns > 0 ? (int)(idle_ns / 1000000) : 0);
    for (int i = 0; i < ready; i++) {
      int s = events[i].data.fd;
      if (s == listener) {
        int accepted = accept(listener, NULL, NULL);
        if (accepted < 0) continue;
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(accepted, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
        struct epoll_event added = {.events = EPOLLIN, .data.fd = accepted};
        epoll_ctl(poll, EPOLL_CTL_ADD, accepted, &added);
      } else if (!serve(s, delayed)) {
        int kept = 0;  // nobody waits for its answers any more
        for (int k = 0; k < heaped; k++) kept += heap[k].socket == s;
        if (kept) {
          struct waiting *rest = malloc(heaped * sizeof *rest);
          int count = 0;
          for (int k = 0; k < heaped; k++) {
            if (heap[k].socket != s) rest[count++] = heap[k];
          }
          heaped = 0;
          for (int k = 0; k < count; k++) put(rest[k]);
          free(rest);
        }
        close(s);
      }
    }
  }
  qsort(log_ns, logged, sizeof *log_ns, by_size);
  double asked[] = {50, 90, 95, 99, 99.9, 99.99};
  const char *names[] = {"p50", "p90", "p95", "p99", "p999", "p9999"};
  printf("{");
  for (int i = 0; i < 6 && logged; i++) {
    long at = (long)(asked[i] / 100 * logged);
    printf("\"%s\": %.1f, ", names[i], log_ns[at < logged ? at : logged - 1] / 1e3);
  }
  printf("\"count\": %ld}\n", logged);
  return 0;
}
