#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

namespace halyard::runtime {

/// Objects that callers know by address, all in one range of addresses: so an unknown address is
/// told from theirs without a look at what it points to. Zero is its first state and nothing is
/// ever destroyed: meant for static memory that is used before and after everything else.
template<typename T, size_t capacity>
class HandleRange {
public:
    /// Null if there are `capacity` of them.
    template<typename... Arguments>
    T *create(Arguments &&...arguments) {
        std::lock_guard lock(mutex_);
        for (size_t i = 0; i < capacity; i++) {
            Slot &slot = slots_[(next_ + i) % capacity];
            if (!slot.live.load(std::memory_order_relaxed)) {
                next_ = (next_ + i + 1) % capacity;
                T *made = new (slot.bytes) T(std::forward<Arguments>(arguments)...);
                slot.live.store(true, std::memory_order_release);
                return made;
            }
        }
        return nullptr;
    }

    void destroy(T *object) {
        std::lock_guard lock(mutex_);
        object->~T();
        slot_of(object)->live.store(false, std::memory_order_release);
    }

    /// Whether an object could be there. Where find() knows none, it was destroyed or never made:
    /// nothing else lives in the range.
    bool covers(const void *address) const { return distance_of(address) < sizeof(slots_); }

    /// The object at this address; null if there is none.
    T *find(const void *address) {
        const uintptr_t distance = distance_of(address);
        if (distance >= sizeof(slots_) || distance % sizeof(Slot) != 0) {
            return nullptr;
        }
        Slot &slot = slots_[distance / sizeof(Slot)];
        return slot.live.load(std::memory_order_acquire)
                   ? std::launder(reinterpret_cast<T *>(slot.bytes))
                   : nullptr;
    }

private:
    struct Slot {
        alignas(T) std::byte bytes[sizeof(T)];
        std::atomic<bool> live;
    };

    uintptr_t distance_of(const void *address) const {
        return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(&slots_[0].bytes);
    }

    Slot *slot_of(T *object) {
        return &slots_[(reinterpret_cast<std::byte *>(object) - slots_[0].bytes) / sizeof(Slot)];
    }

    std::mutex mutex_;
    size_t next_ = 0;
    Slot slots_[capacity];
};

}  // namespace halyard::runtime
