// The floor of open-loop timing: spins on the clock and writes each request at its intended time, and does nothing else but
// throw the answers away. Prints actual minus intended send time, the clock being read before the write, as one line of JSON.
//   cc -O2 -o spin_floor spin_floor.c && taskset -c 0 ./spin_floor PORT RATE CONNECTIONS SECONDS
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: spin_floor PORT RATE CONNECTIONS SECONDS\n");
    return 2;
  }
  int port = atoi(argv[1]), connections = atoi(argv[3]);
  double gap_ns = 1e9 / atof(argv[2]);
  long requests = (long)(atof(argv[2]) * atof(argv[4]));
  setpriority(PRIO_PROCESS, 0, -20);
  char request[128], answer[65536];
  int length = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port);
  int *sockets = malloc(connections * sizeof *sockets);
  long long *lags = malloc(requests * sizeof *lags);
  memset(lags, 0, requests * sizeof *lags);  // no page fault while it measures
  for (int i = 0; i < connections; i++) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    sockets[i] = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(sockets[i], (struct sockaddr *)&address, sizeof address)) {
      perror("connect");
      return 1;
    }
    setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
  long long start = now_ns() + 20000000;
  for (long n = 0; n < requests; n++) {
    long long intended = start + (long long)(n * gap_ns), now;
    int s = sockets[n % connections];
    recv(s, answer, sizeof answer, MSG_DONTWAIT);
    while ((now = now_ns()) < intended) {}
    lags[n] = now - intended;
    if (send(s, request, length, MSG_NOSIGNAL) != length) {
      perror("send");
      return 1;
    }
  }
  qsort(lags, requests, sizeof *lags, by_size);
  printf("{\"p50\": %lld, \"p99\": %lld, \"p999\": %lld, \"max\": %lld, \"count\": %ld}\n", lags[requests / 2],
         lags[requests * 99 / 100], lags[requests * 999 / 1000], lags[requests - 1], requests);
  return 0;
}
