// A target that owns precompiled headers has a source.
