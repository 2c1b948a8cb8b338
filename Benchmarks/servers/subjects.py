"""The servers that are compared: how each is started, and the paths of its thumbnails."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys

from servers.subject import Subject

# Starts the handler of libvips, and `probe` of cases.py, in processes of their own.
SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "service.py")
QUALITY = 80


def libvips_handler(port, origin):
    """One request after the other: fetch, reduce while decoding, write."""
    import http.client
    import pyvips
    pyvips.cache_set_max(0)
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    upstream = None
    import selectors
    chosen = selectors.DefaultSelector()
    chosen.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in chosen.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                chosen.register(connection, selectors.EVENT_READ)
                continue
            request = key.fileobj.recv(1 << 16)
            if not request:
                chosen.unregister(key.fileobj)
                key.fileobj.close()
                continue
            _, width, name = request.split(b" ", 2)[1].decode().split("/", 2)
            try:
                upstream = upstream or http.client.HTTPConnection("127.0.0.1", int(origin))
                upstream.request("GET", "/" + name)
                data = upstream.getresponse().read()
            except (OSError, http.client.HTTPException):
                # The origin closes what is idle for long.
                upstream = http.client.HTTPConnection("127.0.0.1", int(origin))
                upstream.request("GET", "/" + name)
                data = upstream.getresponse().read()
            image = pyvips.Image.thumbnail_buffer(data, int(width), height=100_000, size="down")
            body = image.jpegsave_buffer(Q=QUALITY, keep="none", optimize_coding=True)
            head = f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {len(body)}\r\n\r\n"
            key.fileobj.sendall(head.encode() + body)


NGINX = """
daemon off;
worker_processes 1;
pid {folder}/{port}.pid;
error_log {folder}/{port}.log;
{modules}
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  types {{ image/jpeg jpg; }}
  {http}
  upstream origin {{ server 127.0.0.1:{origin}; keepalive 16; }}
  server {{
    listen 127.0.0.1:{port} backlog=512;
    keepalive_requests 1000000;
    {server}
  }}
}}
"""

PROXY = 'proxy_http_version 1.1; proxy_set_header Connection "";'


def nginx(folder, port, server, origin=1, http="", modules=""):
    path = os.path.join(folder, f"{port}.conf")
    with open(path, "w") as file:
        file.write(NGINX.format(folder=folder, port=port, server=server, origin=origin, http=http, modules=modules))
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    return [program, "-e", f"{folder}/{port}.log", "-c", path, "-p", folder]


def ozu(arguments, folder, port, origin, pending):
    return Subject(
        "ozu", [arguments.ozu, "serve", "--insecure"], port,
        lambda width, name: f"/x/w:{width}/q:{QUALITY}/plain/http:%2F%2F127.0.0.1:{origin}%2F"
        + name.replace("?", "%3F").replace("=", "%3D") + "@jpg",
        {"OZU_LISTEN": f"127.0.0.1:{port}", "OZU_PRIVATE_NETWORKS": "yes", "OZU_LOG": "no",
         "OZU_SOURCES": f"http://127.0.0.1:{origin}/", "OZU_PENDING": pending}, folder, "/health")


def installed(arguments, folder, ports, origin):
    """The installed servers, started."""
    found = []
    port = next(ports)
    found.append(ozu(arguments, folder, port, origin, "1024"))
    if importlib.util.find_spec("pyvips"):
        import pyvips
        number = ".".join(str(pyvips.version(part)) for part in range(3))
        port = next(ports)
        found.append(Subject(
            f"libvips {number}", [sys.executable, SCRIPT, "--libvips-handler", str(port), str(origin)],
            port, lambda width, name: f"/{width}/{name}", {"VIPS_CONCURRENCY": "1"}, folder))
    module = "/usr/lib/nginx/modules/ngx_http_image_filter_module.so"
    if os.path.exists(module):
        port = next(ports)
        command = nginx(folder, port, f"""
            location ~ ^/([0-9]+)/(.*)$ {{
              proxy_pass http://origin/$2$is_args$args; {PROXY}
              image_filter resize $1 -; image_filter_jpeg_quality {QUALITY}; image_filter_buffer 32m;
            }}
            location = /health {{ return 200; }}""", origin, modules=f"load_module {module};")
        text = subprocess.run([command[0], "-v"], capture_output=True, text=True).stderr
        found.append(Subject(
            f"nginx image_filter {text.strip().split('/')[-1]}", command, port, lambda width, name: f"/{width}/{name}",
            None, folder, "/health"))
    own = os.path.join(os.path.dirname(SCRIPT), "../.build-thumbor/bin/thumbor")
    script = arguments.thumbor or (own if os.path.exists(own) else shutil.which("thumbor"))
    if script:
        settings = os.path.join(folder, "thumbor.conf")
        with open(settings, "w") as file:
            file.write(f"QUALITY = {QUALITY}\nSTORAGE = 'thumbor.storages.no_storage'\nAUTO_WEBP = False\n"
                       "MAX_WIDTH = 0\nHTTP_LOADER_MAX_CLIENTS = 64\n")
        text = subprocess.run([script, "--version"], capture_output=True, text=True).stdout.split()
        port = next(ports)
        found.append(Subject(
            f"thumbor {text[1].lstrip('v')}", [script, "-c", settings, "-p", str(port), "-i", "127.0.0.1", "-l", "error"],
            port, lambda width, name: f"/unsafe/{width}x0/http://127.0.0.1:{origin}/{name}".replace("?", "%3F"),
            None, folder, "/healthcheck"))
    for subject in found:
        subject.wait()
    return found
