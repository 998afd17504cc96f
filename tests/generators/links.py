"""Follows every link of a built site to a file and an anchor of it."""

import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        link = attributes.get("href") if tag == "a" else attributes.get("src") if tag == "img" else None
        if link:
            self.links.append(link)


def main(root):
    # Pages that the generators make themselves.
    own = {"404.html", "print.html", "toc.html"}
    pages = {}
    for directory, _, names in os.walk(root):
        for name in names:
            if name.endswith(".html") and name not in own:
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.relpath(path, root)] = Page(file.read())
    followed, broken = 0, []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            followed += 1
            target = urllib.parse.unquote(parts.path)
            if not target:
                target = path
            elif target.startswith("/"):
                target = target.lstrip("/") or "."
            else:
                target = os.path.normpath(os.path.join(os.path.dirname(path), target))
            if os.path.isdir(os.path.join(root, target)):
                target = os.path.normpath(os.path.join(target, "index.html"))
            if not os.path.exists(os.path.join(root, target)):
                broken.append(f"{path}: {link} leads nowhere")
            elif parts.fragment and target in pages:
                if urllib.parse.unquote(parts.fragment) not in pages[target].ids:
                    broken.append(f"{path}: {link} has no such anchor")
    print("\n".join(broken[:20]), file=sys.stderr, end="\n" if broken else "")
    print(f"{len(pages)} pages, {followed} links, {len(broken)} broken")
    return 1 if broken or not followed else 0


sys.exit(main(sys.argv[1]))
