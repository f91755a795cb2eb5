"""Formulas as MathML, by the converter that comes with docutils: browsers draw it themselves, so that a page needs neither a
script nor the network."""
import re
import unicodedata

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.errors import SphinxError


# Alphabets: browsers know them as characters, no longer as an attribute.
ALPHABET = re.compile(r'<mi mathvariant="(bold|double-struck|script)">([A-Za-z])</mi>')


# Brackets around letters keep their size. Those of \\left and \\right have attributes, and grow.
BRACKET = re.compile(r"<mo>([|∥‖⟨⟩])</mo>")


def _letter(found):
    size = "CAPITAL" if found[2].isupper() else "SMALL"
    for prefix in ("MATHEMATICAL ", ""):  # some are older than the rest, and have shorter names
        try:
            return f"<mi>{unicodedata.lookup(f'{prefix}{found[1].upper()} {size} {found[2].upper()}')}</mi>"
        except KeyError:
            continue
    return found[0]


def _markup(node, inline):
    try:
        markup = ALPHABET.sub(_letter, tex2mathml(node.astext(), inline=inline))
        markup = BRACKET.sub(r'<mo stretchy="false">\1</mo>', markup)
        return markup if inline else re.sub(r"<math\b", '<math display="block" displaystyle="true"', markup.replace(' display="block"', ""), 1)
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
