#!/usr/bin/env bash
# infra/dev/container.sh FIRST SECOND [NODE]: walks "In a container" of infra/deploy/README.md with two unpacked releases, by podman
# in place of docker: image, compose with Caddy in front, https, a small copy, a picture, 100 MB, a backup, a second container on
# the volume, the commands, a stop, a kill, an update, a restore. Prints each step with its seconds; ends with an error at the
# first that fails. The images that it is built from are made here, of Debian, NODE (a node program, by default the one in PATH)
# and the caddy in PATH, and take the names of those that a registry has; removed at the end.
# Needs root, mmdebstrap, podman, podman-compose, runc, netavark, aardvark-dns, catatonit, iptables, caddy and curl.
set -euo pipefail

second=$(realpath "$2") node=$(realpath "${3:-$(command -v node)}")
sources=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
chmod 755 "$work"
# As it is unpacked; the second one comes over it.
cp -a "$(realpath "$1")" "$work/release"
release=$work/release here=$work/release/infra/deploy
log=$work/log page=$second/README.md
# Certificates for this name are Caddy's own.
site=localhost product=deploy_fellowship_1
source "$(dirname "$0")/walk.sh"

# As the limits of this machine allow; health checks are run by hand, where there is no systemd that would.
cat >"$work/containers.conf" <<CONF
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=4096:4096"]
[engine]
runtime = "runc"
CONF
export CONTAINERS_CONF=$work/containers.conf DISABLE_HC_SYSTEMD=true

finish() {
  local code=$1
  cd "$here" && podman-compose down -v -t 40 >>"$log" 2>&1
  podman rmi -f fellowship docker.io/library/caddy:2 docker.io/library/node:24-bookworm-slim >>"$log" 2>&1
  if [ "$code" = 0 ]; then rm -rf "$work"; else echo "What was said is in $log"; fi
  exit "$code"
}
trap 'code=$?; set +e; finish "$code"' EXIT

# What Debian's podman-compose does not do: make a container anew when its image is a new one, and mount what `run` is given.
docker() {
  case $1 in
    build) shift; podman build --format docker --isolation chroot --pull=never "$@" ;;
    compose)
      shift
      [ "$1" != up ] || podman-compose down -t 40
      if [ "$1" = run ]; then
        shift
        podman run --read-only --tmpfs /tmp --cap-drop ALL -v deploy_data:/var/lib/fellowship "$@"
      else
        podman-compose "$@"
      fi
      ;;
  esac
}
# What the README says to do in this folder, for this site.
follow() { cd "$1"; eval "set -e; $(block "$2" | sed -e 's/teaching.example.org/localhost/' -e "s/EMAIL/$(cut -d' ' -f1 "$work/administrator" 2>/dev/null)/")"; }

make_bases() {
  mmdebstrap --mode=root --variant=minbase bookworm "$work/root" /etc/apt/sources.list.d/debian.sources
  install -m 755 "$node" "$work/root/usr/bin/node"
  tar -C "$work/root" -c . | podman import - docker.io/library/node:24-bookworm-slim
  mkdir "$work/caddy"
  cp "$(command -v caddy)" "$work/caddy/caddy"
  cat >"$work/caddy/Containerfile" <<'FILE'
FROM docker.io/library/node:24-bookworm-slim
COPY caddy /usr/bin/caddy
ENV XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
FILE
  docker build -t docker.io/library/caddy:2 "$work/caddy"
}

is_ready() { ask "https://$site/api/health/ready"; }
ask() { curl -sS --fail-with-body --cacert "$work/authority.crt" -b "$work/jar" -c "$work/jar" "$@"; }
trust_caddy() { until_true podman cp deploy_caddy_1:/data/caddy/pki/authorities/local/root.crt "$work/authority.crt"; until_true is_ready; }
see_health() {
  podman healthcheck run "$product"
  podman inspect "$product" --format '{{.Config.Healthcheck.Test}}' | grep -q api/health/live
}
see_confinement() {
  podman exec "$product" id -u | grep -qx 10001
  if podman exec "$product" touch /opt/fellowship/new; then return 1; fi
  if podman exec "$product" sh -c 'command -v gcc make g++'; then return 1; fi
}
sign_in() {
  podman logs "$product" 2>&1 | sed -n 's/^Administrator: \(.*\)  password: \(.*\)  (shown.*/\1 \2/p' | head -1 >"$work/found"
  [ ! -s "$work/found" ] || cp "$work/found" "$work/administrator"
  log_in
}
play() {
  ask "https://$site$(ask "https://$site/api/teachings" | grep -o '/audio/[0-9a-f]*\.mp3' | head -1)" -o "$work/played"
  cmp "$work/played" "$work/recording.mp3"
}
be_refused() {
  podman run --rm -v deploy_data:/var/lib/fellowship fellowship >"$work/second" 2>&1 && return 1
  grep -q 'in use by another container' "$work/second"
}
unlock() {
  local email secret
  read -r email secret <"$work/administrator"
  for _ in 1 2 3 4 5; do ask "https://$site/api/auth/login" -H 'content-type: application/json' -d "{\"email\":\"$email\",\"password\":\"wrong\"}" || true; done
  follow "$here" admin-unlock
  if ask "https://$site/api/audio-management/stats"; then return 1; fi
  log_in
}
stop_and_start() {
  podman stop -t 40 "$product"
  podman inspect "$product" --format '{{.State.ExitCode}}' | grep -qx 0
  podman start "$product"
  until_true is_ready
}
kill_and_start() {
  podman kill -s KILL "$product"
  until_true podman start "$product"
  until_true is_ready
}
update() {
  ask "https://$site/" -o "$work/page"
  cp -a "$second/." "$release/"
  follow "$release" 'docker build'
  until_true is_ready
  ask "https://$site/" -o "$work/new-page"
  if cmp -s <(assets_of "$work/page") <(assets_of "$work/new-page"); then return 1; fi
  while read -r address; do ask "https://$site$address" -o /dev/null; done < <(assets_of "$work/page")
}
restore() {
  cd "$here"
  install -m 644 "$work/backup.zip" backup.zip
  docker compose down -t 40
  podman volume rm deploy_data
  follow "$here" backup-restore
  until_true is_ready
}

step 'base images made of Debian, Node and Caddy' make_bases
step 'image built from the release; compose up' follow "$release" 'docker build'
step 'https by Caddy, ready' trust_caddy
step 'healthy, by the check of the image' see_health
step 'as user 10001, nothing to write to, no compilers' see_confinement
step 'signed in with the password of the log' sign_in
step 'a WAV uploaded, and its small copy made' see_small_copy
step 'an elder with a picture' put_picture
step 'a recording of 100 MB made, for the next step' make_recording
step '100 MB uploaded through Caddy' send 'The release' 2026-11-15 "$work/recording.mp3" audio/mpeg
step 'it plays' play
step 'backup made and downloaded' back_up
step 'a second container on the volume is refused' be_refused
step 'locked out, unlocked and signed out by the commands' unlock
step 'stopped with code 0, started, ready' stop_and_start
step 'killed, started, ready' kill_and_start
step 'updated; the assets of the first release are still there' update
step 'still signed in, and it plays' play
step 'restored into an empty volume, ready' restore
step 'signed in anew' log_in
step 'it plays' play
podman images --format '{{.Repository}} {{.Size}}' fellowship
