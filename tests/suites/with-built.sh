# Runs a command of cargo on a copy of what is already built: from nothing, each seed would build
# every dependency.
cp -a "$BUILT" "$TMPDIR/target" && CARGO_TARGET_DIR="$TMPDIR/target" exec "$@"
