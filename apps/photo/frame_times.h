#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

/// Milliseconds of frames, without the first, which loads and compiles.
class FrameTimes {
public:
    void start() { start_ = Clock::now(); }
    void stop() {
        times_.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start_).count());
    }
    /// 0 for fewer than two frames.
    double median() const {
        if (times_.size() < 2) return 0;
        std::vector<double> times(times_.begin() + 1, times_.end());
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle;
    }

private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_;
    std::vector<double> times_;
};
