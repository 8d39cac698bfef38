# Sourced by scripts that walk through what a page tells people to do. They set `log` to a file, and `page` to that page.

# Runs a step with its seconds; the script ends at the first that fails. In a shell of its own, in which the first command that
# fails ends the step: behind `||` it would not.
step() {
  local name=$1 began=$EPOCHREALTIME code
  shift
  set +e
  (set -e; "$@") >>"$log" 2>&1
  code=$?
  set -e
  [ "$code" = 0 ] || { echo "FAILED: $name"; exit 1; }
  say "$name" "$began"
}
say() { printf '| %-62s | %5.1f s |\n' "$1" "$(awk "BEGIN { print $EPOCHREALTIME - $2 }")"; }

until_true() { for _ in $(seq 300); do "$@" && return 0; sleep 0.2; done; return 1; }

# The lines of the page's block of commands that has this text.
block() { awk -v want="$1" '/^```/ { if (open && hit) { printf "%s", text; exit } open = !open; text = ""; hit = 0; next } open { text = text $0 "\n"; if (index($0, want)) hit = 1 }' "$page"; }
