"""The fonts that numerals and words on rendered tiles are drawn with.

Fonts are read from the machine at build time and never committed (`datasets/assets/README.md` names the packages).
What is installed is found by file name against a curated list, so that only upright, readable faces come in. Clones
of one design (Nimbus Sans, Liberation Sans, FreeSans are all Helvetica) share one *design* name, and held-out fonts
are held out by design: a reader judged on held-out editions has never seen their numerals under another name. Without
any font every caller still works: `numeral_fonts` returns an empty tuple and numerals are drawn from strokes
(`datasets/numerals.py`).
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import ImageFont

FONT_DIRS = (
    "/usr/share/fonts",
    "/usr/share/texmf/fonts/opentype",
    "/usr/local/share/fonts",
    str(Path.home() / ".local/share/fonts"),
)
HELD_OUT_SHARE = 23  # per cent of designs
_SALT = "tiles-8"

# (design, look, weight, pattern of file names). Looks: grotesk and round are what most tile makers use, then serif and
# didone (okey and Remi sets), slab, condensed, hand and odd.
_CURATED: tuple[tuple[str, str, float, str], ...] = (
    ("helvetica", "grotesk", 5.0, r"(NimbusSans|LiberationSans|texgyreheros|FreeSans)-?(Bold|bold|Regular|regular)?"),
    (
        "helvetica-narrow",
        "condensed",
        3.0,
        r"(NimbusSansNarrow|LiberationSansNarrow|texgyreheroscn)-(Bold|bold|Regular)",
    ),
    ("times", "serif", 2.0, r"(NimbusRoman|LiberationSerif|texgyretermes|FreeSerif)-?(Bold|bold|Regular|regular)?"),
    (
        "courier",
        "slab",
        0.7,
        r"(NimbusMonoPS|texgyrecursor|LiberationMono|FreeMono)-?(Bold|bold)|Courier Prime( Bold)?",
    ),
    ("courier-sans", "slab", 0.4, r"Courier Prime Sans( Bold)?"),
    ("avantgarde", "round", 2.0, r"URWGothic-(Demi|Book)|texgyreadventor-(bold|regular)"),
    ("bookman", "serif", 1.5, r"URWBookman-(Demi|Light)|texgyrebonum-(bold|regular)"),
    ("century", "serif", 2.0, r"C059-(Bold|Roman)|texgyreschola-(bold|regular)"),
    ("palatino", "serif", 1.0, r"P052-(Bold|Roman)|texgyrepagella-(bold|regular)"),
    ("lato", "grotesk", 1.5, r"Lato-(Regular|Medium|Bold|Heavy|Black)"),
    ("open-sans", "grotesk", 1.5, r"OpenSans-(Regular|Semibold|Bold|ExtraBold)"),
    ("open-sans-condensed", "condensed", 1.0, r"OpenSans-CondBold"),
    ("roboto", "grotesk", 1.5, r"Roboto-(Regular|Medium|Bold|Black)"),
    ("roboto-condensed", "condensed", 1.2, r"RobotoCondensed-(Regular|Medium|Bold)"),
    ("cabin", "grotesk", 1.0, r"Cabin-(Regular|SemiBold|Bold)"),
    ("dosis", "round", 1.2, r"Dosis-(Medium|SemiBold|Bold|ExtraBold)"),
    ("play", "round", 1.0, r"Play-(Regular|Bold)"),
    ("quicksand", "round", 1.0, r"Quicksand-(Medium|Bold)"),
    ("comfortaa", "round", 1.0, r"Comfortaa-(Regular|Bold)"),
    ("league-spartan", "grotesk", 1.2, r"LeagueSpartan-(Medium|SemiBold|Bold|ExtraBold|Black)"),
    ("bebas", "condensed", 1.5, r"BebasNeue-(Book|Regular|Bold)"),
    ("averia", "round", 1.0, r"AveriaSansGWF-(Regular|Bold)"),
    ("din", "grotesk", 1.5, r"OSP-DIN"),
    ("osifont", "round", 0.8, r"osifont"),
    ("roadgeek-narrow", "condensed", 1.0, r"RG2014[BC]"),
    ("roadgeek", "grotesk", 1.2, r"RG2014(D|E|EM|EEM|F)"),
    ("jura", "round", 0.8, r"Jura-(Medium|SemiBold|Bold)"),
    ("manrope", "grotesk", 1.0, r"Manrope-(Medium|SemiBold|Bold|ExtraBold)"),
    ("pt-sans", "grotesk", 1.0, r"PT[CS](55|75)F"),
    ("pt-sans-narrow", "condensed", 1.0, r"PTN(57|77)F"),
    ("pt-serif", "serif", 1.0, r"PT[FZ](55|75)F"),
    ("cantarell", "grotesk", 1.0, r"Cantarell-(Regular|Bold|ExtraBold)"),
    ("yanone", "condensed", 1.0, r"YanoneKaffeesatz-(Regular|Medium|SemiBold|Bold)"),
    ("gill", "grotesk", 1.2, r"GilliusADF(No2)?-(Regular|Bold)"),
    ("gill-condensed", "condensed", 1.0, r"GilliusADF(No2)?-(Cond|BoldCond)"),
    ("univers", "grotesk", 1.2, r"UniversalisADFStd-(Regular|Bold)"),
    ("univers-condensed", "condensed", 1.0, r"UniversalisADFStd-(Cond|BoldCond)"),
    ("libris", "grotesk", 0.8, r"LibrisADFStd-(Regular|Bold)"),
    ("romande", "serif", 0.6, r"RomandeADF(No2)?Std-(Regular|DemiBold)"),
    ("didot", "didone", 1.8, r"GFSDidot(Bold)?"),
    ("bodoni", "didone", 1.8, r"GFSBodoniClassic"),
    ("old-standard", "didone", 1.8, r"OldStandard(TT)?-(Regular|Bold)|OldStandard(Bold)?"),
    ("karla", "grotesk", 0.8, r"Karla-(Regular|Medium|Bold|ExtraBold)"),
    ("lobster", "odd", 0.6, r"LobsterTwo-(Regular|Bold)"),
    ("humor", "hand", 0.7, r"Humor-Sans"),
    ("dustin", "grotesk", 0.7, r"(Dustismo|dustismo_bold)"),
    ("dustin-roman", "serif", 0.6, r"Dustismo_Roman(_Bold)?"),
    ("tomson", "hand", 0.7, r"TomsonTalks"),
    ("clear-sans", "grotesk", 0.8, r"ClearSans-(Regular|Medium|Bold)"),
    ("carlito", "grotesk", 0.8, r"Carlito-(Regular|Bold)"),
    ("caladea", "serif", 0.8, r"Caladea-(Regular|Bold)"),
    ("junction", "grotesk", 0.6, r"Junction"),
    ("andika", "grotesk", 0.7, r"Andika-(Regular|Bold|R)"),
    ("go", "grotesk", 0.8, r"Go-(Regular|Medium|Bold)"),
    ("libertine", "serif", 0.9, r"LinLibertine_(R|RB|RZ|DR)"),
    ("biolinum", "grotesk", 0.6, r"LinBiolinum_(R|RB)"),
    ("vollkorn", "serif", 0.5, r"Vollkorn-(Bold|Black)"),
    ("beteckna", "grotesk", 0.6, r"Beteckna(GS)?(-Bold)?"),
    ("beteckna-condensed", "condensed", 0.6, r"BetecknaGSCondensed(-Bold)?"),
    ("sora", "grotesk", 0.8, r"Sora-(Regular|SemiBold|Bold|ExtraBold)"),
    ("inter", "grotesk", 0.9, r"Inter-(Regular|Medium|SemiBold|Bold|Black)"),
    ("inter-display", "grotesk", 0.9, r"InterDisplay-(Medium|Bold|Black)"),
    ("dejavu", "grotesk", 1.0, r"DejaVuSans(-Bold)?"),
    ("dejavu-condensed", "condensed", 0.8, r"DejaVuSansCondensed(-Bold)?"),
    ("dejavu-serif", "slab", 1.2, r"DejaVuSerif(Condensed)?(-Bold)?"),
    ("hack", "grotesk", 0.4, r"Hack-(Regular|Bold)"),
    ("mononoki", "round", 0.4, r"mononoki-(Regular|Bold)"),
    ("radis", "odd", 0.5, r"RadisSans-medium"),
    ("prociono", "serif", 0.2, r"Prociono"),
    ("dkg", "hand", 0.5, r"dkg(Bd)?"),
    ("breip", "hand", 0.4, r"Breip"),
)

# Designs that came later are never held out: the held-out editions, and with them all figures, stay comparable.
_FOR_TRAINING: tuple[tuple[str, str, float, str], ...] = (
    ("allerta", "grotesk", 0.7, r"allerta_medium"),
    ("apropal", "slab", 0.4, r"Apropal-Bold"),
    ("arapey", "didone", 0.8, r"Arapey-(Black|Regular)"),
    ("b612", "grotesk", 0.7, r"B612-(Bold|Regular)"),
    ("comic-neue", "hand", 0.8, r"ComicNeue-(Bold|Regular)"),
    ("compagnon", "slab", 0.4, r"Compagnon-Medium"),
    ("garamond", "serif", 0.8, r"EBGaramond12-(Bold|Regular)"),
    ("gemunu", "condensed", 0.8, r"GemunuLibre-(Medium|SemiBold|Bold|ExtraBold)"),
    ("le-murmure", "condensed", 0.4, r"le-murmure"),
    ("league-mono", "grotesk", 0.6, r"LeagueMono-(Narrow|Wide)?(Medium|Bold|ExtraBold)"),
    ("lemonada", "odd", 0.6, r"Lemonada-(Regular|SemiBold|Bold)"),
    ("millimetre", "odd", 0.4, r"millimetreA( Bold)? 01"),
    ("national-park", "round", 0.8, r"NationalPark-(Regular|Heavy)"),
    ("ocr-b", "grotesk", 0.6, r"OCRB"),
    ("open-dyslexic", "round", 0.7, r"OpenDyslexicAlta-(Regular|Bold)"),
    ("quattrocento", "serif", 0.5, r"Quattrocento-Regular"),
    ("roboto-slab", "slab", 0.9, r"RobotoSlab-(Regular|Bold)"),
    ("stix", "serif", 0.7, r"STIXGeneral-(Regular|Bold)"),
    ("accanthis", "serif", 0.5, r"AccanthisADFStdNo3-(Regular|Bold)"),
    ("baskervald", "serif", 0.7, r"BaskervaldADFStd(-Bold|-Heavy)?"),
    ("berenis", "didone", 0.8, r"BerenisADFPro-(Regular|Bold)"),
    ("ikarius", "grotesk", 0.6, r"IkariusADF(No2)?Std-(Regular|Bold)"),
    ("irianis", "serif", 0.5, r"IrianisADFStyleStd-(Regular|Bold)"),
    ("mekanus", "slab", 0.5, r"MekanusADF(Titling)?Std-(Regular|Bold)"),
    ("oldania", "serif", 0.4, r"OldaniaADFStd-(Regular|Bold)"),
    ("switzera", "grotesk", 1.0, r"SwitzeraADF-(Regular|Medium|DemiBold|Bold|ExtraBold)"),
    ("switzera-condensed", "condensed", 0.8, r"SwitzeraADF-(Cond|BoldCond|DmBdCond)"),
    ("tribun", "serif", 0.6, r"TribunADFStd-(Regular|Medium|Bold|ExtraBold)"),
    ("verana", "slab", 0.6, r"Verana-(Regular|Bold)"),
    ("verana-sans", "grotesk", 0.8, r"VeranaSans(Medium|Demi)?-(Regular|Bold)"),
    ("anonymous", "grotesk", 0.4, r"Anonymous Pro( B)?"),
    ("averia-mixed", "round", 0.6, r"Averia(Serif)?GWF-(Regular|Bold)"),
    ("cardo", "serif", 0.5, r"Cardo(104s|b101)"),
    ("eurofurence", "round", 0.6, r"eurof(c)?(55|75)"),
    ("fira-code", "grotesk", 0.7, r"FiraCode-(Regular|Medium|SemiBold|Bold)"),
    ("caslon", "serif", 0.6, r"Caslon(-Black|Bold|Roman)"),
    ("rasa", "serif", 0.6, r"Rasa-(Regular|Medium|SemiBold|Bold)"),
    ("hermit", "round", 0.4, r"Hermit-(medium|bold)"),
    ("isabella", "odd", 0.3, r"Isabella"),
    ("jetbrains", "grotesk", 0.6, r"JetBrainsMono-(Regular|Medium|Bold|ExtraBold)"),
    ("klaudia", "grotesk", 0.5, r"(Klaudia|Berenika)(-Bold)?"),
    ("leckerli", "odd", 0.5, r"LeckerliOne-Regular"),
    ("ocr-a", "round", 0.4, r"OCRA(Bold|Condensed)?"),
    ("okolaks", "round", 0.4, r"okolaks(Regular|Bold)"),
    ("oxygen", "grotesk", 0.8, r"Oxygen-Sans(-Bold)?"),
    ("reggae", "odd", 0.6, r"ReggaeOne-Regular"),
    ("rocknroll", "round", 0.7, r"RocknRollOne-Regular"),
    ("routed-gothic", "round", 0.8, r"routed-gothic(-narrow|-wide)?"),
    ("rufscript", "hand", 0.6, r"Rufscript010"),
    ("steve-hand", "hand", 0.4, r"SteveHand"),
    ("staypuft", "condensed", 0.4, r"StayPuft"),
    ("tiresias", "grotesk", 1.0, r"tiresias_(info|lp|pc|sign)font(_bold)?"),
    ("tuffy", "grotesk", 0.6, r"Tuffy(_Bold)?"),
    ("yusei", "hand", 0.6, r"YuseiMagic-Regular"),
    ("kaushan", "hand", 0.4, r"KaushanScript-Regular"),
    ("techno-round", "round", 1.2, r"(amplitud|granular|mishmash|pneuwide)"
     r"|(telephas|regenera|lamebrai|bendable|kurvatur)"),
    ("techno-square", "odd", 1.0, r"(aspartam|bobcayge|chemrea|gravitat|hyperion)"
     r"|(jekyll|mobilize|sequence|techover|variance)"),
    ("techno-narrow", "condensed", 1.0, r"(36daythk|clasict1|elsewhe2|entplain)"
     r"|(euphoric|forcible|nsecthck|quandary|vantage)"),
    ("techno-bold", "odd", 0.8, r"(alphbeta|conduit2|crackdr2|ecliptic|imposs)"
     r"|(kirbyss|lethargi|opiated|persuasi|thwart)"),
    ("techno-hand", "hand", 1.0, r"(aescrawl|aesymatt|fullcomp|handmeds|larkspur)"
     r"|(roughday|vacantz|weathers|wobbly|yielding)"),
)


@dataclass(frozen=True)
class FontFile:
    """One installed font file: its path, the design it is a cut of, its look and the weight it is drawn with."""

    path: str
    design: str
    look: str
    weight: float


def held_out_name(name: str, share: int = HELD_OUT_SHARE) -> bool:
    """Whether a font design or joker design of this name is reserved for held-out editions: a stable hash of
    the name."""
    return int(hashlib.sha1(f"{_SALT}:{name}".encode()).hexdigest()[:8], 16) % 100 < share


@lru_cache(maxsize=1)
def installed() -> dict[str, str]:
    """All font files on this machine, file stem -> path; the first in sorted order wins, so that it is the
    same everywhere."""
    found: dict[str, str] = {}
    for top in FONT_DIRS:
        for folder, dirs, files in os.walk(top):
            dirs.sort()
            for name in sorted(files):
                stem, ext = os.path.splitext(name)
                if ext.lower() in (".ttf", ".otf"):
                    found.setdefault(stem, os.path.join(folder, name))
    return found


@lru_cache(maxsize=2)
def numeral_fonts(held_out: bool) -> tuple[FontFile, ...]:
    """The curated fonts that are installed, in a stable order: the held-out designs, or all others. May be empty."""
    found = installed()
    fonts = []
    mine = [entry for entry in _CURATED if held_out_name("font:" + entry[0]) == held_out]
    for design, look, weight, pattern in mine if held_out else (*mine, *_FOR_TRAINING):
        stems = sorted(stem for stem in found if re.fullmatch(pattern, stem))
        # a design's weight is shared by its cuts, so that families with many weights don't crowd out the others
        fonts += [FontFile(found[stem], design, look, weight / len(stems)) for stem in stems]
    return tuple(fonts)


def symbol_font() -> str | None:
    """Path of a font with faces, suns, card figures and animals, if one is installed."""
    found = installed()
    return next((found[stem] for stem in ("Symbola_hint", "Symbola", "FreeSerif", "DejaVuSans") if stem in found), None)


@lru_cache(maxsize=256)
def load(path: str | None, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font at `size` pixels an em; Pillow's own default where `path` is None or can't be read."""
    if path is not None:
        try:
            return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
        except OSError:
            pass
    return ImageFont.load_default(size)
