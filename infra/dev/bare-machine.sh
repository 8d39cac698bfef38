#!/usr/bin/env bash
# infra/dev/bare-machine.sh FIRST.tar.gz SECOND.tar.gz [NODE]: walks infra/deploy/README.md on a Debian made from nothing, with
# systemd, nginx and Node alone, in a container with a network of its own: first installation, https, a small copy, a picture,
# 100 MB uploaded with an event seen, a backup, an update to the second release, a restore, and the commands that let an
# administrator in again. Prints each step with its seconds; ends with an error at the first that fails. The commands are those
# of the release's own README.
# Needs root, mmdebstrap, systemd-container, iproute2, curl and openssl. NODE is a node program, by default the one in PATH.
set -euo pipefail

first=$(realpath "$1") second=$(realpath "$2") node=$(realpath "${3:-$(command -v node)}")
sources=$(realpath "$(dirname "$0")/../..")
site=teaching.example.org
work=$(mktemp -d)
chmod 755 "$work"
root=$work/root log=$work/log page=$work/README.md network=walk-$$ machine='' pid=''
source "$(dirname "$0")/walk.sh"

finish() {
  local code=$1
  if [ -n "$machine" ]; then
    [ -n "$pid" ] && inside 'systemctl poweroff' >/dev/null 2>&1
    for _ in $(seq 100); do kill -0 "$machine" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$machine" 2>/dev/null
    wait "$machine" 2>/dev/null
  fi
  ip netns delete "$network" 2>/dev/null
  if [ "$code" = 0 ]; then rm -rf "$work"; else echo "What was said is in $log"; fi
  exit "$code"
}
trap 'code=$?; set +e; finish "$code"' EXIT

# Runs commands on the machine, and requests in its network.
inside() { nsenter -t "$pid" -m -p -u -i -n -C -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root bash -euo pipefail -c "$1"; }
ask() { nsenter -t "$pid" -n -- curl -sS --fail-with-body --cacert "$work/cert.pem" --resolve "$site:443:127.0.0.1" --resolve "$site:80:127.0.0.1" -b "$work/jar" -c "$work/jar" "$@"; }

make_machine() {
  mmdebstrap --mode=root --variant=minbase --include=systemd-sysv,dbus,nginx-light,sudo bookworm "$root" /etc/apt/sources.list.d/debian.sources
  install -m 755 "$node" "$root/usr/bin/node"
  mkdir -p "$root/usr/lib/node_modules"
  cp -a "$(npm root -g)/npm" "$root/usr/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
  echo walk >"$root/etc/hostname"
  echo '127.0.0.1 localhost walk' >"$root/etc/hosts"
}

boot_machine() {
  ip netns add "$network"
  ip -n "$network" link set lo up
  systemd-nspawn --quiet --directory="$root" --boot --network-namespace-path="/run/netns/$network" --register=no --keep-unit \
    --resolv-conf=off --link-journal=no --console=pipe </dev/null >>"$work/boot" 2>&1 &
  machine=$!
  until_true is_up
  # The container tool may make it unwritable for users.
  inside 'chmod 666 /dev/null'
}
is_up() { pid=$(pgrep -P "$machine" | head -1) && [ -n "$pid" ] && inside 'systemctl is-system-running' 2>/dev/null | grep -qE 'running|degraded'; }

install_release() {
  cp "$first" "$(dirname "$first")/SHA256SUMS" "$root/root/"
  tar -xzf "$first" -C "$work" --strip-components 1 --wildcards 'fellowship-*/README.md'
  inside "cd /root; $(block 'useradd' | grep -vE 'systemctl|journalctl')"
  inside "sed -i -e 's|^DATA_DIR=.*|DATA_DIR=/var/lib/fellowship|' -e 's|^#PUBLIC_URL=.*|PUBLIC_URL=https://$site|' -e 's|^TRUST_PROXY=.*|TRUST_PROXY=1|' /opt/fellowship/.env"
}
start_release() { inside "$(block 'useradd' | grep 'systemctl')" && until_true is_ready; }
is_ready() { nsenter -t "$pid" -n -- curl -sf http://127.0.0.1:3000/api/health/ready; }
read_password() { until_true has_password; }
has_password() {
  inside 'journalctl -u fellowship -o cat' | sed -n 's/^Administrator: \(.*\)  password: \(.*\)  (shown.*/\1 \2/p' >"$work/administrator"
  [ -s "$work/administrator" ]
}

put_nginx_in_front() {
  local place=$root/etc/letsencrypt/live/$site
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=$site" -addext "subjectAltName=DNS:$site" -keyout "$work/key.pem" -out "$work/cert.pem"
  mkdir -p "$place"
  cp "$work/cert.pem" "$place/fullchain.pem"
  cp "$work/key.pem" "$place/privkey.pem"
  # Of the second release, so that the first may be one whose example did not fit this nginx.
  tar -xzf "$second" -C "$root/etc/nginx/sites-available" --strip-components 3 --wildcards 'fellowship-*/infra/deploy/nginx.conf'
  inside 'rm -f /etc/nginx/sites-enabled/default; ln -s ../sites-available/nginx.conf /etc/nginx/sites-enabled/; nginx -t; systemctl restart nginx'
}

see_page() {
  ask "http://$site/about" -o /dev/null -w '%{redirect_url}' | grep -qx "https://$site/about"
  ask "https://$site/" -D "$work/head" -o "$work/page"
  grep -q 'Bulls Christian Fellowship' "$work/page"
  grep -qi '^strict-transport-security' "$work/head"
}
upload() {
  ask -N --max-time 300 "https://$site/api/sync/events" >"$work/events" &
  local listener=$!
  until_true grep -q retry "$work/events"
  send 'The release' 2026-11-15 "$work/recording.mp3" audio/mpeg
  until_true grep -q 'event: changed' "$work/events"
  kill $listener
}
play() {
  local address
  address=$(ask "https://$site/api/teachings" | grep -o '/audio/[0-9a-f]*\.mp3' | head -1)
  ask "https://$site$address" -r 0-999 -o /dev/null -w '%{http_code}' | grep -qx 206
  ask "https://$site$address" -o "$work/played"
  cmp "$work/played" "$work/recording.mp3"
}

update() {
  cp "$second" "$root/root/fellowship-NEW.tar.gz"
  inside "cd /root; $(block 'fellowship-NEW')" && until_true is_ready
}
see_old_assets() {
  ask "https://$site/" -o "$work/new-page"
  ! cmp -s <(assets_of "$work/page") <(assets_of "$work/new-page")
  while read -r address; do ask "https://$site$address" -o /dev/null; done < <(assets_of "$work/page")
}
restore() {
  inside 'systemctl stop fellowship; rm -rf /var/lib/fellowship/*'
  install -m 644 "$work/backup.zip" "$root/var/lib/backup.zip"
  inside 'cd /opt/fellowship && sudo -u fellowship npm run backup:restore /var/lib/backup.zip -- --dry-run'
  inside 'cd /opt/fellowship && sudo -u fellowship npm run backup:restore /var/lib/backup.zip; systemctl start fellowship'
  until_true is_ready
}

unlock() {
  local email secret
  read -r email secret <"$work/administrator"
  for _ in 1 2 3 4 5; do ask_anew "https://$site/api/auth/login" -d "{\"email\":\"$email\",\"password\":\"wrong\"}" || true; done
  if ask_anew "https://$site/api/auth/login" -d "{\"email\":\"$email\",\"password\":\"$secret\"}"; then return 1; fi
  inside "cd /opt/fellowship && sudo -u fellowship npm run admin:unlock $email"
  ask_anew "https://$site/api/auth/login" -d "{\"email\":\"$email\",\"password\":\"$secret\"}"
}
# From a device that the site does not know.
ask_anew() { nsenter -t "$pid" -n -- curl -sS --fail-with-body --cacert "$work/cert.pem" --resolve "$site:443:127.0.0.1" -H 'content-type: application/json' "$@"; }
sign_out_everyone() {
  ask "https://$site/api/audio-management/stats" -o /dev/null
  inside 'cd /opt/fellowship && sudo -u fellowship npm run sign-out:everyone'
  if ask "https://$site/api/audio-management/stats"; then return 1; fi
  log_in
}

step 'Debian with systemd, nginx and Node made' make_machine
began=$EPOCHREALTIME
# Not in a shell of its own: what it starts is ended by this one.
boot_machine
say 'booted' "$began"
step 'first installation: checksum, user, archive, settings, unit' install_release
step 'first start, until ready' start_release
step 'password read from the journal' read_password
step 'nginx with https in front' put_nginx_in_front
step 'first page by https; http leads there' see_page
step 'signed in' log_in
step 'a WAV uploaded, and its small copy made' see_small_copy
step 'an elder with a picture' put_picture
step 'a recording of 100 MB made, for the next step' make_recording
step '100 MB uploaded through nginx, and an event of it seen' upload
step 'played, a part and the whole' play
step 'backup made and downloaded' back_up
step 'updated to the second release, until ready' update
step 'other assets now, and those of the first still there' see_old_assets
step 'still signed in, and it plays' play
step 'restored on an empty disk, tried dry first, until ready' restore
step 'signed in anew' log_in
step 'it plays' play
step 'an administrator locked out, and unlocked by the command' unlock
step 'everybody signed out by the command' sign_out_everyone
step 'stopped' inside 'systemctl stop fellowship; systemctl show fellowship -p Result | grep -qx Result=success'
inside 'systemd-analyze security fellowship --no-pager' | tail -1
