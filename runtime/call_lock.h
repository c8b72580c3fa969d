#pragma once

#include <atomic>
#include <thread>

namespace halyard::runtime {

/// Lets one call at a time use an instance's states. Without a second thread it costs two atomic
/// operations.
class CallLock {
public:
    /// False if this very thread has it: waiting would last for ever.
    bool lock() {
        const std::thread::id self = std::this_thread::get_id();
        std::thread::id holder{};
        while (!holder_.compare_exchange_strong(holder, self, std::memory_order_acquire)) {
            if (holder == self) {
                return false;
            }
            holder_.wait(holder, std::memory_order_relaxed);
            holder = {};
        }
        return true;
    }

    void unlock() {
        holder_.store({}, std::memory_order_release);
        holder_.notify_one();
    }

private:
    std::atomic<std::thread::id> holder_{};
};

}  // namespace halyard::runtime
