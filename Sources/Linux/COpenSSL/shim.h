#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stddef.h>

/// Prepares HMAC with SHA-256. The parameters have a lifetime that only C can promise.
static inline int copenssl_hmac_init(EVP_MAC_CTX *context, const void *key, size_t length) {
  OSSL_PARAM digest[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA2-256", 0), OSSL_PARAM_construct_end()};
  // Without a pointer the context is taken to have a key already; an empty key is one too.
  return EVP_MAC_init(context, key ? key : "", length, digest);
}
