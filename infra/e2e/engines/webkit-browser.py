#!/usr/bin/python3
"""A browser of one window for WebKitWebDriver, on WebKitGTK.

Unlike WebKit's MiniBrowser under automation it keeps cookies and site data between two starts, and writes the console of
its pages to a file. Arguments: the folder of its data, the file of its console.
"""

import os
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2

data, console = sys.argv[1:3]
# WebKit writes console messages to standard output; the driver has its own use for the browser's.
output = os.open(console, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.dup2(output, 1)
os.dup2(output, 2)

manager = WebKit2.WebsiteDataManager(base_data_directory=data, base_cache_directory=os.path.join(data, "cache"))
context = WebKit2.WebContext.new_with_website_data_manager(manager)
context.set_automation_allowed(True)
context.get_cookie_manager().set_persistent_storage(
    os.path.join(data, "cookies.sqlite"), WebKit2.CookiePersistentStorage.SQLITE
)


def ended(_view, reason):
    print("CONSOLE ERROR the web process ended:", reason.value_nick, flush=True)


def create_view(_session):
    settings = WebKit2.Settings(
        enable_write_console_messages_to_stdout=True,
        media_playback_requires_user_gesture=True,
        # A page that is left in the middle of a write goes into this cache with its transaction, and the next page waits
        # for the database until the cache lets go of it.
        enable_page_cache=False,
    )
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True, settings=settings)
    view.connect("web-process-terminated", ended)
    # The protocol has no hard reload, and its keys reach the page alone: a script asks for it.
    scripts = view.get_user_content_manager()
    scripts.connect("script-message-received::hardReload", lambda *_: view.reload_bypass_cache())
    scripts.register_script_message_handler("hardReload")
    window = Gtk.Window()
    window.set_default_size(1280, 800)
    window.add(view)
    window.show_all()
    view.connect("close", lambda _view: window.destroy())
    view.grab_focus()
    return view


def automation_started(_context, session):
    application = WebKit2.ApplicationInfo()
    application.set_name("webkit-browser")
    session.set_application_info(application)
    session.connect("create-web-view", create_view)


context.connect("automation-started", automation_started)
Gtk.main()
