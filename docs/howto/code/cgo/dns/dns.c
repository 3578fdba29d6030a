//go:build cgo

#include "dns.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct lookup {
	pthread_mutex_t mu;
	pthread_cond_t wake;
	int stopped, ms;
	char name[64];
	dns_answer done;
	uintptr_t data;
};

static void *run(void *arg) {
	lookup *l = arg;
	struct timespec end;
	clock_gettime(CLOCK_REALTIME, &end);
	long ns = end.tv_nsec + (l->ms % 1000) * 1000000L;
	end.tv_sec += l->ms / 1000 + ns / 1000000000L;
	end.tv_nsec = ns % 1000000000L;

	pthread_mutex_lock(&l->mu);
	int late = 0;
	while (!l->stopped && late == 0)
		late = pthread_cond_timedwait(&l->wake, &l->mu, &end);
	int stopped = l->stopped;
	pthread_mutex_unlock(&l->mu);

	char address[96];
	snprintf(address, sizeof address, "address of %s", l->name);
	l->done(l->data, address, stopped);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->mu);
	free(l);
	return NULL;
}

lookup *dns_start(const char *name, int ms, dns_answer done, uintptr_t data) {
	lookup *l = calloc(1, sizeof *l);
	if (l == NULL)
		return NULL;
	snprintf(l->name, sizeof l->name, "%s", name);
	l->ms = ms;
	l->done = done;
	l->data = data;
	pthread_mutex_init(&l->mu, NULL);
	pthread_cond_init(&l->wake, NULL);
	pthread_t thread;
	if (pthread_create(&thread, NULL, run, l) != 0) {
		free(l);
		return NULL;
	}
	pthread_detach(thread);
	return l;
}

void dns_stop(lookup *l) {
	pthread_mutex_lock(&l->mu);
	l->stopped = 1;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->mu);
}
