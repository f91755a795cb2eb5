"""Formulas as MathML, by the converter that comes with docutils: browsers draw it themselves, so that a page needs neither a
script nor the network."""
from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import SphinxError


def _markup(node, inline):
    try:
        return tex2mathml(node.astext(), inline=inline)
    except SyntaxError as error:
        raise SphinxError(f"{node.source}: the formula {node.astext()!r}: {error}") from error


def visit_math(self, node):
    self.body.append(_markup(node, True))
    raise nodes.SkipNode


def visit_math_block(self, node):
    self.body.append(f'<div class="formula">{_markup(node, False)}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.config.html_math_renderer = "mathml"
    return {"version": "1", "parallel_read_safe": True}
