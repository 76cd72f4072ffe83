// OpenSSL's error queue, which the core shares with the server's TLS.

#pragma once

#include <gtest/gtest.h>
#include <openssl/err.h>

namespace uuidx {

/// An error of the server, which is to be the only one in the queue at the end of a scope.
struct ErrorOfTheServer {
    static constexpr int reason = 42;

    ErrorOfTheServer() { ERR_raise(ERR_LIB_USER, reason); }
    ~ErrorOfTheServer() {
        EXPECT_EQ(ERR_GET_REASON(ERR_get_error()), reason);
        EXPECT_EQ(ERR_peek_error(), 0u);
    }
    ErrorOfTheServer(const ErrorOfTheServer&) = delete;
};

}  // namespace uuidx
