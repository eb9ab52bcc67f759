// SHA-256 itself, without a provider's objects around it, is called old-fashioned by the library.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>
#include <stddef.h>
#include <string.h>

/// HMAC with SHA-256 (RFC 2104): both digests behind their halves of the key. The library's own of that name makes a dozen objects for
/// each message, and takes seven times as long for a short one.
struct copenssl_hmac {
  SHA256_CTX inner;
  SHA256_CTX outer;
};

/// The beginning of every message with that key; NULL where there is no memory.
static inline struct copenssl_hmac *copenssl_hmac_new(const void *key, size_t length) {
  struct copenssl_hmac *hmac = OPENSSL_malloc(sizeof *hmac);
  if (!hmac) return NULL;
  unsigned char block[SHA256_CBLOCK] = {0};
  // Only a key that is longer than a block is digested.
  if (length > sizeof block) {
    SHA256_Init(&hmac->inner);
    SHA256_Update(&hmac->inner, key, length);
    SHA256_Final(block, &hmac->inner);
  } else if (length) {
    memcpy(block, key, length);
  }
  for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
  SHA256_Init(&hmac->inner);
  SHA256_Update(&hmac->inner, block, sizeof block);
  for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
  SHA256_Init(&hmac->outer);
  SHA256_Update(&hmac->outer, block, sizeof block);
  OPENSSL_cleanse(block, sizeof block);
  return hmac;
}

/// Another message with the same key; NULL where there is no memory.
static inline struct copenssl_hmac *copenssl_hmac_copy(const struct copenssl_hmac *hmac) {
  struct copenssl_hmac *copy = OPENSSL_malloc(sizeof *copy);
  if (copy) *copy = *hmac;
  return copy;
}

static inline void copenssl_hmac_update(struct copenssl_hmac *hmac, const void *data, size_t length) {
  SHA256_Update(&hmac->inner, data, length);
}

/// The code of the message, of SHA256_DIGEST_LENGTH bytes; nothing can be read after it.
static inline void copenssl_hmac_final(struct copenssl_hmac *hmac, unsigned char *code) {
  SHA256_Final(code, &hmac->inner);
  SHA256_Update(&hmac->outer, code, SHA256_DIGEST_LENGTH);
  SHA256_Final(code, &hmac->outer);
}

static inline void copenssl_hmac_free(struct copenssl_hmac *hmac) { OPENSSL_clear_free(hmac, sizeof *hmac); }

/// Adds an extension as openssl's own configuration writes it; 0 where that cannot be read, or there is no memory.
static inline int copenssl_add_extension(X509 *certificate, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
  X509V3_set_ctx_nodb(&context);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (!extension) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}
