# Sourced by scripts that walk through what a page tells people to do. They set `log` to a file, `page` to that page, `work` to a
# folder, `sources` to the repository, `site` to a name, and have `ask`, which is curl for a signed-in person; `$work/administrator`
# has the e-mail address and the password.

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

log_in() {
  local email secret
  read -r email secret <"$work/administrator"
  ask "https://$site/api/auth/login" -H 'content-type: application/json' -d "{\"email\":\"$email\",\"password\":\"$secret\"}"
}
token() { ask "https://$site/api/csrf-token" | sed 's/.*"csrfToken":"\([^"]*\)".*/\1/'; }

# send TITLE DATE FILE TYPE
send() { ask "https://$site/api/sermons/smart-upload" -H "x-csrf-token: $(token)" -F "title=$1" -F 'speaker=Ann Smith' -F "date=$2" -F "audioFile=@$3;type=$4"; }
see_small_copy() {
  send 'A short one' 2026-11-01 "$sources/infra/dev/fixtures/speech.wav" audio/wav
  until_true has_small_copy
}
has_small_copy() { ask "https://$site/api/teachings" | grep -q '"copyUrl":"/audio/'; }
make_recording() {
  cd "$sources"
  node --import tsx -e "import('./infra/lab/bench/recording.ts').then(async (made) => require('fs').writeFileSync('$work/recording.mp3', await made.longRecording(100 * made.mebibyte - 65536, 1)))"
}
put_picture() {
  local elder
  elder=$(ask "https://$site/api/elders" -H "x-csrf-token: $(token)" -H 'content-type: application/json' -d '{"name":"John","role":"Elder","shortBio":"Serves here.","extendedBio":"Serves here."}' | grep -o '"id":[0-9]*' | head -1 | cut -d: -f2)
  ask "https://$site/api/elders/$elder/photo" -H "x-csrf-token: $(token)" -F "photo=@$sources/web/public/icons/icon-192.png;type=image/png"
}
back_up() {
  local id
  id=$(ask -X POST "https://$site/api/backup/prepare" -H "x-csrf-token: $(token)" | sed 's/.*"id":"\([^"]*\)".*/\1/')
  ask "https://$site/api/backup/create-manual?id=$id" -o "$work/backup.zip"
}
assets_of() { grep -oE '/assets/[A-Za-z0-9_.-]+' "$1" | sort -u; }
