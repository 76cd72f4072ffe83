/*
 * Preloaded into a server: a clock, a random source, a cipher and hashes that fail as the files in
 * the folder UUIDX_FAULTS say. no_clock: the clock cannot be read; clock_at: it reads that many
 * seconds since 1970; no_randomness: OpenSSL has none; no_cipher: OpenSSL sets up no cipher;
 * no_encryption: it encrypts nothing; no_hash: it has no hashes; no_interfaces: those of the
 * network cannot be listed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static FILE* fault(const char* name) {
    char path[1024];
    const char* folder = getenv("UUIDX_FAULTS");

    if (folder == NULL)
        return NULL;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return fopen(path, "r");
}

int clock_gettime(clockid_t clock, struct timespec* time) {
    static int (*real)(clockid_t, struct timespec*);
    FILE* file;
    long long seconds;

    if (clock == CLOCK_REALTIME && (file = fault("no_clock")) != NULL) {
        fclose(file);
        errno = EINVAL;
        return -1;
    }
    if (clock == CLOCK_REALTIME && (file = fault("clock_at")) != NULL) {
        if (fscanf(file, "%lld", &seconds) != 1)
            abort();
        fclose(file);
        time->tv_sec = seconds;
        time->tv_nsec = 0;
        return 0;
    }
    if (real == NULL)
        real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, time);
}

int getifaddrs(struct ifaddrs** interfaces) {
    static int (*real)(struct ifaddrs**);
    FILE* file = fault("no_interfaces");

    if (file != NULL) {
        fclose(file);
        errno = EACCES;
        return -1;
    }
    if (real == NULL)
        real = (int (*)(struct ifaddrs**))dlsym(RTLD_NEXT, "getifaddrs");
    return real(interfaces);
}

int RAND_bytes(unsigned char* octets, int count) {
    static int (*real)(unsigned char*, int);
    FILE* file = fault("no_randomness");

    if (file != NULL) {
        fclose(file);
        return 0;
    }
    if (real == NULL)
        real = (int (*)(unsigned char*, int))dlsym(RTLD_NEXT, "RAND_bytes");
    return real(octets, count);
}

int EVP_EncryptInit_ex(EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ENGINE* engine,
                       const unsigned char* key, const unsigned char* iv) {
    static int (*real)(EVP_CIPHER_CTX*, const EVP_CIPHER*, ENGINE*, const unsigned char*,
                       const unsigned char*);
    FILE* file = fault("no_cipher");

    if (file != NULL) {
        fclose(file);
        return 0;
    }
    if (real == NULL)
        real = (typeof(real))dlsym(RTLD_NEXT, "EVP_EncryptInit_ex");
    return real(context, cipher, engine, key, iv);
}

int EVP_EncryptUpdate(EVP_CIPHER_CTX* context, unsigned char* out, int* count,
                      const unsigned char* in, int in_count) {
    static int (*real)(EVP_CIPHER_CTX*, unsigned char*, int*, const unsigned char*, int);
    FILE* file = fault("no_encryption");

    if (file != NULL) {
        fclose(file);
        return 0;
    }
    if (real == NULL)
        real = (typeof(real))dlsym(RTLD_NEXT, "EVP_EncryptUpdate");
    return real(context, out, count, in, in_count);
}

const EVP_MD* EVP_get_digestbyname(const char* name) {
    static const EVP_MD* (*real)(const char*);
    FILE* file = fault("no_hash");

    if (file != NULL) {
        fclose(file);
        return NULL;
    }
    if (real == NULL)
        real = (typeof(real))dlsym(RTLD_NEXT, "EVP_get_digestbyname");
    return real(name);
}
