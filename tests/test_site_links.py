"""The check of the site's links: what leads nowhere is named with its page."""

from scripts.site_links import dead


def test_dead_links_are_named_and_others_are_not(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<p id="top"><a href="a/b.html#x&amp;y">1</a><a href="a/b.html#z">2</a><a href="#top">3</a>'
        '<a href="https://example.org">4</a><img src="none.svg"><a href="#gone">5</a>'
    )
    (tmp_path / "a" / "b.html").write_text('<p id="x&y"></p><a href="../index.html?q=1#top">6</a>')
    assert dead(tmp_path) == [
        "index.html: #gone",
        "index.html: a/b.html#z",
        "index.html: none.svg",
    ]
