#pragma once

#include <atomic>
#include <thread>

namespace halyard::runtime {

/// Lets one thread at a time pass, and knows which one it is. Without a second thread it costs two
/// atomic operations.
class CallLock {
public:
    /// Holds the lock for its own life. False where this very thread has it already: to wait would
    /// be for ever.
    class Holder {
    public:
        explicit Holder(CallLock &lock) : lock_(lock.take() ? &lock : nullptr) {}
        ~Holder() {
            if (lock_) {
                lock_->give_back();
            }
        }
        Holder(const Holder &) = delete;
        Holder &operator=(const Holder &) = delete;
        explicit operator bool() const { return lock_ != nullptr; }

    private:
        CallLock *lock_;
    };

    /// Whether this very thread holds it.
    bool is_held_here() const {
        return holder_.load(std::memory_order_relaxed) == std::this_thread::get_id();
    }

private:
    bool take() {
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

    void give_back() {
        holder_.store({}, std::memory_order_release);
        holder_.notify_one();
    }

    std::atomic<std::thread::id> holder_{};
};

}  // namespace halyard::runtime
