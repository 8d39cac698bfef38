"""OpenStack Swift with its S3 interface, all four servers in this process, on loopback, with one copy of each object.

Arguments: an empty folder, a bucket that anyone may read under /v1/AUTH_test, as behind a CDN, one that nobody may, and by
how many seconds the clock of a caller may be wrong. Prints the port of the S3 interface once it serves. It ends with its
standard input.
"""

import array
import os
import sys

# Its own resolver of names is a third of the start, and there are none to resolve.
os.environ["EVENTLET_NO_GREENDNS"] = "yes"
import eventlet  # noqa: E402

eventlet.monkey_patch()

import logging  # noqa: E402

from eventlet import wsgi  # noqa: E402
from swift.common import storage_policy, utils  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.wsgi import loadapp, make_pre_authed_env  # noqa: E402
from swift.common.http_protocol import SwiftHttpProtocol  # noqa: E402

folder, bucket, private_bucket, skew = sys.argv[1:]
device = os.path.join(folder, "devices", "disk")
os.makedirs(device)

configuration = os.path.join(folder, "swift.conf")
with open(configuration, "w") as file:
    file.write("[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = one\ndefault = yes\n")
utils.SWIFT_CONF_FILE = configuration
utils.validate_configuration = lambda: None
utils.HASH_PATH_SUFFIX = b"test"
utils.HASH_PATH_PREFIX = b""
storage_policy.reload_storage_policies()

sockets = {name: eventlet.listen(("127.0.0.1", 0)) for name in ("account", "container", "object", "proxy")}
ports = {name: socket.getsockname()[1] for name, socket in sockets.items()}
for name in ("account", "container", "object"):
    place = {"id": 0, "region": 1, "zone": 1, "weight": 1.0, "device": "disk", "ip": "127.0.0.1", "port": ports[name]}
    place.update(replication_ip=place["ip"], replication_port=place["port"], meta="")
    RingData([array.array("H", [0, 0, 0, 0])], [place], 30).save(os.path.join(folder, name + ".ring.gz"))

storage = "[DEFAULT]\nswift_dir = {folder}\ndevices = {folder}/devices\nmount_check = false\nlog_level = ERROR\n"
confs = {
    name: storage + "[app:main]\nuse = egg:swift#" + name + "\n" for name in ("account", "container", "object")
}
confs["proxy"] = """[DEFAULT]
swift_dir = {folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors gatekeeper s3api tempauth bulk slo proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
allowable_clock_skew = {skew}
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
error_suppression_limit = 1000000
allow_account_management = true
"""
logging.getLogger().addHandler(logging.NullHandler())
applications = {}
for name, text in confs.items():
    path = os.path.join(folder, name + "-server.conf")
    with open(path, "w") as file:
        file.write(text.format(folder=folder, skew=skew))
    applications[name] = loadapp(path, global_conf={"log_name": name})


class NoCache:
    """In place of memcached, which the proxy wants to find: remembers nothing."""

    get = set = delete = incr = staticmethod(lambda *args, **options: None)


without_cache = applications["proxy"]
applications["proxy"] = lambda env, start: without_cache({**env, "swift.cache": NoCache()}, start)

silent = logging.getLogger("silent")
silent.propagate = False
silent.addHandler(logging.NullHandler())
for name, application in applications.items():
    eventlet.spawn(
        wsgi.server, sockets[name], application, silent, protocol=SwiftHttpProtocol, log_output=False, keepalive=True
    )


def put(path, headers):
    env = make_pre_authed_env({"SERVER_NAME": "127.0.0.1", "SERVER_PORT": str(ports["proxy"])}, "PUT", path)
    env["swift_owner"] = True
    env.update({"HTTP_" + name.upper().replace("-", "_"): value for name, value in headers.items()})
    answer = []
    list(applications["proxy"](env, lambda status, headers, error=None: answer.append(status)))
    if not answer[0].startswith("20"):
        sys.exit("%s: %s" % (path, answer[0]))


put("/v1/AUTH_test", {})
put(
    "/v1/AUTH_test/" + bucket,
    {
        "X-Container-Read": ".r:*",
        "X-Container-Meta-Access-Control-Allow-Origin": "*",
        "X-Container-Meta-Access-Control-Expose-Headers": "etag content-range content-length",
    },
)
put("/v1/AUTH_test/" + private_bucket, {})
print(ports["proxy"], flush=True)
os.set_blocking(0, False)
while os.read(0, 1):
    pass
os._exit(0)
