"""A grammar of SVG documents: elements, attributes and references that go together, with numbers out of hostile sets."""

NUMBERS = ["0", "1", "2", "3 -3", "-1", "0.5", "10", "40", "100", "1e9", "-1e9", "1e-9", "1e38", "1e308", "-0", "nan", "inf",
           "65536", "32767", "32768", "2147483647", "2147483648", "4294967296", "0.0001", "999", "", "1e", "50%", "-50%",
           "1e6%", "3em", "1ex", "2in"]
SMALL = ["0", "1", "2", "3", "5", "10", "17", "40", "0.5", "-3"]
COLOURS = ["red", "#0f0", "#00f8", "rgba(1,2,3,.5)", "none", "currentColor", "inherit", "hsl(1,2%,3%)", "#12345"]
UNITS = ["userSpaceOnUse", "objectBoundingBox"]
IDS = ["a%d" % i for i in range(6)]
SOURCES = ["SourceGraphic", "SourceAlpha", "BackgroundImage", "FillPaint", "StrokePaint", "r0", "r1", "nowhere"]
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")


class Grammar:
    def __init__(self, numbers):
        self.pick = numbers
        self.budget = 0

    def number(self):
        return self.pick.choice(NUMBERS if self.pick.random() < 0.35 else SMALL)

    def numbers(self, count):
        return " ".join(self.number() for _ in range(count))

    def some(self, names, make=None):
        make = make or self.number
        return "".join(' %s="%s"' % (name, make()) for name in names if self.pick.random() < 0.5)

    def one(self, name, choices):
        return ' %s="%s"' % (name, self.pick.choice(choices)) if self.pick.random() < 0.5 else ""

    def reference(self):
        return "url(#%s)" % self.pick.choice(IDS)

    def transform(self):
        kinds = [("translate", 2), ("scale", 2), ("rotate", 1), ("skewX", 1), ("matrix", 6), ("scale", 1)]
        name, count = self.pick.choice(kinds)
        return "%s(%s)" % (name, self.numbers(count))

    def style(self):
        text = self.some(["opacity", "fill-opacity", "stroke-width", "stroke-miterlimit", "stroke-dashoffset"])
        text += self.some(["fill", "stroke"], lambda: self.pick.choice(COLOURS + [self.reference()] * 3))
        text += self.some(["filter", "mask", "clip-path", "marker-start", "marker-mid"], self.rarely_reference)
        if self.pick.random() < 0.3:
            text += ' stroke-dasharray="%s"' % self.numbers(self.pick.randint(1, 4))
        if self.pick.random() < 0.3:
            text += ' transform="%s"' % self.transform()
        text += self.one("mix-blend-mode", ["multiply", "screen", "hue"])
        text += self.one("shape-rendering", ["crispEdges", "geometricPrecision"])
        return text + self.one("stroke-linejoin", ["round", "bevel", "miter"])

    def rarely_reference(self):
        return self.reference() if self.pick.random() < 0.5 else "none"

    def path(self):
        words = ["M" + self.numbers(2)]
        counts = {"L": 2, "l": 2, "H": 1, "v": 1, "C": 6, "s": 4, "Q": 4, "t": 2, "A": 7, "a": 7, "Z": 0, "m": 2}
        for _ in range(self.pick.randint(0, 8)):
            letter = self.pick.choice(list(counts))
            words.append(letter + self.numbers(counts[letter]))
        return " ".join(words)

    def shape(self):
        kind = self.pick.randrange(8)
        style = self.style()
        if kind == 0:
            return "<rect%s%s/>" % (self.some(["x", "y", "width", "height", "rx", "ry"]), style)
        if kind == 1:
            return '<rect width="30" height="30"%s/>' % style
        if kind == 2:
            return "<circle%s%s/>" % (self.some(["cx", "cy", "r"]), style)
        if kind == 3:
            return "<ellipse%s%s/>" % (self.some(["cx", "cy", "rx", "ry"]), style)
        if kind == 4:
            return '<path d="%s"%s/>' % (self.path(), style)
        if kind == 5:
            name = self.pick.choice(["polyline", "polygon"])
            return '<%s points="%s"%s/>' % (name, self.numbers(2 * self.pick.randint(0, 6)), style)
        if kind == 6:
            return "<line%s%s/>" % (self.some(["x1", "y1", "x2", "y2"]), style)
        return self.text(style)

    def text(self, style):
        attributes = self.some(["x", "y", "dx", "dy", "font-size", "letter-spacing", "word-spacing", "textLength"])
        attributes += self.one("font-family", ["serif", "DejaVu Sans", "nothing", "monospace"])
        attributes += self.one("writing-mode", ["tb", "vertical-rl", "lr"])
        attributes += self.one("text-anchor", ["middle", "end"]) + self.one("direction", ["rtl"])
        attributes += self.one("font-weight", ["100", "bold", "1e9"]) + self.one("baseline-shift", ["super", "1e9", "-50%"])
        content = self.pick.choice(["abc", "", "&#x200f;\u05d0\u05d1", "\u0e01\u0e33", "&#xfffd;", "a&#x301;" * 40, "x" * 400])
        if self.pick.random() < 0.3:
            content += "<tspan%s>%s</tspan>" % (self.some(["dx", "dy", "font-size", "rotate"]), content)
        return "<text%s%s>%s</text>" % (attributes, style, content)

    def container(self, depth):
        inside = "".join(self.element(depth + 1) for _ in range(self.pick.randint(0, 3)))
        kind = self.pick.randrange(8)
        if kind == 0:
            box = self.some(["x", "y", "width", "height"]) + self.view_box()
            return "<svg%s%s>%s</svg>" % (box, self.style(), inside)
        if kind == 1:
            return '<symbol id="%s"%s>%s</symbol>' % (self.pick.choice(IDS), self.view_box(), inside)
        if kind == 2:
            return "<switch>%s</switch>" % inside
        if kind == 3:
            return '<a href="x"%s>%s</a>' % (self.style(), inside)
        return '<g id="%s"%s>%s</g>' % (self.pick.choice(IDS), self.style(), inside)

    def view_box(self):
        text = ' viewBox="%s"' % self.numbers(4) if self.pick.random() < 0.3 else ""
        return text + self.one("preserveAspectRatio", ["none", "xMidYMid slice", "xMaxYMin meet"])

    def use(self):
        return '<use xlink:href="#%s"%s%s/>' % (
            self.pick.choice(IDS), self.some(["x", "y", "width", "height"]), self.style())

    def image(self):
        kind = self.pick.randrange(3)
        if kind == 0:
            place = "data:image/png;base64," + PIXEL
        elif kind == 1:
            place = "data:image/svg+xml;utf8,&lt;svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
        else:
            place = self.pick.choice(["#a0", "file:///etc/passwd", "data:,", "data:image/gif;base64,R0lGODlhAQAB"])
        return '<image xlink:href="%s"%s%s/>' % (place, self.some(["x", "y", "width", "height"]), self.style())

    def paint(self, depth):
        kind = self.pick.randrange(3)
        if kind < 2:
            name = ["linearGradient", "radialGradient"][kind]
            stops = "".join(
                '<stop offset="%s" stop-color="%s"%s/>' % (
                    self.number(), self.pick.choice(COLOURS), self.some(["stop-opacity"]))
                for _ in range(self.pick.randint(0, 4)))
            attributes = self.some(["x1", "x2", "y2", "cx", "cy", "r", "fx", "fy", "fr"]) + self.one("gradientUnits", UNITS)
            attributes += self.one("spreadMethod", ["reflect", "repeat"])
            attributes += self.one("xlink:href", ["#" + name for name in IDS])
            if self.pick.random() < 0.3:
                attributes += ' gradientTransform="%s"' % self.transform()
            return '<%s id="%s"%s>%s</%s>' % (name, self.pick.choice(IDS), attributes, stops, name)
        attributes = self.some(["x", "y", "width", "height"]) + self.one("patternUnits", UNITS) + self.view_box()
        attributes += self.one("patternContentUnits", UNITS)
        return '<pattern id="%s"%s>%s</pattern>' % (self.pick.choice(IDS), attributes, self.element(depth + 1))

    def clipping(self, depth):
        name = self.pick.choice(["mask", "clipPath", "marker"])
        attributes = self.some(["x", "y", "width", "height", "refX", "refY", "markerWidth", "markerHeight", "orient"])
        attributes += self.one("maskUnits", UNITS) + self.one("clipPathUnits", UNITS)
        attributes += self.one("maskContentUnits", UNITS) + self.view_box()
        return '<%s id="%s"%s>%s</%s>' % (name, self.pick.choice(IDS), attributes, self.element(depth + 1), name)

    def filter(self):
        attributes = self.one("filterUnits", UNITS) + self.one("primitiveUnits", UNITS)
        if self.pick.random() < 0.4:
            attributes += self.some(["x", "y", "width", "height"])
        primitives = "".join(self.primitive() for _ in range(self.pick.randint(0, 5)))
        return '<filter id="%s"%s>%s</filter>' % (self.pick.choice(IDS), attributes, primitives)

    def primitive(self):
        place = self.some(["x", "y", "width", "height"]) if self.pick.random() < 0.4 else ""
        place += self.one("in", SOURCES) + self.one("result", ["r0", "r1"])
        kind = self.pick.randrange(16)
        if kind == 0:
            return '<feGaussianBlur stdDeviation="%s"%s/>' % (self.numbers(self.pick.randint(1, 2)), place)
        if kind == 1:
            operator = self.one("operator", ["over", "in", "out", "atop", "xor", "arithmetic"])
            return "<feComposite%s%s%s%s/>" % (
                self.one("in2", SOURCES), operator, self.some(["k1", "k2", "k3", "k4"]), place)
        if kind == 2:
            return "<feTile%s/>" % place
        if kind == 3:
            order = self.pick.choice([1, 2, 3, 5, 24])
            attributes = self.some(["divisor", "bias", "targetX", "targetY", "kernelUnitLength"])
            attributes += self.one("edgeMode", ["wrap", "none", "duplicate"]) + self.one("preserveAlpha", ["true"])
            count = order * order + self.pick.choice([0, 0, 0, 1, -1])
            return '<feConvolveMatrix order="%d" kernelMatrix="%s"%s%s/>' % (
                order, " ".join(self.pick.choice(SMALL) for _ in range(count)), attributes, place)
        if kind == 4:
            attributes = self.one("type", ["turbulence", "fractalNoise"]) + self.one("stitchTiles", ["stitch"])
            octaves = self.pick.choice(["0", "1", "3", "20", "1000", "-1"])
            return '<feTurbulence baseFrequency="%s" numOctaves="%s"%s%s%s/>' % (
                self.number(), octaves, self.some(["seed"]), attributes, place)
        if kind == 5:
            operator = self.one("operator", ["erode", "dilate"])
            return '<feMorphology radius="%s"%s%s/>' % (self.numbers(self.pick.randint(1, 2)), operator, place)
        if kind == 6:
            return "<feOffset%s%s/>" % (self.some(["dx", "dy"]), place)
        if kind == 7:
            return '<feFlood flood-color="%s"%s/>' % (self.pick.choice(COLOURS), place)
        if kind == 8:
            return "<feDisplacementMap%s%s%s%s/>" % (
                self.one("in2", SOURCES), self.some(["scale"]), self.one("xChannelSelector", ["R", "A"]), place)
        if kind == 9:
            return '<feColorMatrix type="%s" values="%s"%s/>' % (
                self.pick.choice(["matrix", "saturate", "hueRotate", "luminanceToAlpha"]),
                self.numbers(self.pick.choice([1, 20])), place)
        if kind == 10:
            light = self.pick.choice(["feDistantLight azimuth", "fePointLight z", "feSpotLight limitingConeAngle"])
            name = self.pick.choice(["feDiffuseLighting", "feSpecularLighting"])
            attributes = self.some(
                ["surfaceScale", "diffuseConstant", "specularConstant", "specularExponent", "kernelUnitLength"])
            return '<%s%s%s><%s="%s"%s/></%s>' % (
                name, attributes, place, light, self.number(), self.some(["x", "y", "elevation", "pointsAtX"]), name)
        if kind == 11:
            nodes = "".join("<feMergeNode%s/>" % self.one("in", SOURCES) for _ in range(self.pick.randint(0, 4)))
            return "<feMerge%s>%s</feMerge>" % (place, nodes)
        if kind == 12:
            target = self.pick.choice(["#" + name for name in IDS] + ["data:image/png;base64," + PIXEL])
            return '<feImage xlink:href="%s"%s/>' % (target, place)
        if kind == 13:
            attributes = self.one("mode", ["multiply", "hue", "normal"]) + self.one("in2", SOURCES)
            return "<feBlend%s%s/>" % (attributes, place)
        if kind == 14:
            values = "".join(
                '<feFunc%s type="%s" tableValues="%s"%s/>' % (
                    channel, self.pick.choice(["table", "discrete", "gamma", "linear"]),
                    self.numbers(self.pick.randint(0, 3)), self.some(["slope", "exponent", "amplitude"]))
                for channel in "RA")
            return "<feComponentTransfer%s>%s</feComponentTransfer>" % (place, values)
        return "<feDropShadow%s%s/>" % (self.some(["dx", "dy", "stdDeviation"]), place)

    def element(self, depth):
        self.budget -= 1
        if depth > 5 or self.budget < 0:
            return self.shape()
        kind = self.pick.randrange(12)
        if kind < 4:
            return self.shape()
        if kind < 6:
            return self.container(depth)
        if kind == 6:
            return self.use()
        if kind == 7:
            return self.image()
        if kind == 8:
            return self.paint(depth)
        if kind == 9:
            return self.clipping(depth)
        return self.filter()

    def document(self):
        self.budget = self.pick.randint(2, 30)
        size = ""
        if self.pick.random() < 0.8:
            sides = ["40", "100", "300", "1"] + ([self.number()] if self.pick.random() < 0.3 else [])
            size = ' width="%s" height="%s"' % (self.pick.choice(sides), self.pick.choice(sides))
        inside = "".join(self.element(0) for _ in range(self.pick.randint(1, 5)))
        # Definitions that an attribute names have no effect without an element that uses them.
        inside += '<rect x="5" y="5" width="30" height="30" filter="%s"/>' % self.reference()
        return '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"%s%s>%s</svg>' % (
            size, self.view_box(), inside)
