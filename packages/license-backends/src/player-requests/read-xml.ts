/** An XML element without its attributes. */
export interface XmlElement {
  name: string;
  /** Its own text with references resolved, without that of its children. */
  text: string;
  children: XmlElement[];
}

const maximumDepth = 64;
const nameAtStart = /^[^\s/<>!?'"=&]{1,256}/;
/** Matches to the end of a tag; within quotes, `>` is an ordinary character (XML 1.0, section 2.3). */
const tagEnd = /(?:[^>"']|"[^"]*"|'[^']*')*>/y;
const blank = /^[\t\n\r ]*$/;

/**
 * Parses the subset of XML 1.0 that PlayReady uses: elements, text, CDATA, comments and the declaration. Rejects
 * document types, so the only entities are the five predefined ones and numeric references. Single pass; at most 64
 * levels.
 *
 * Throws `invalid(detail)`, where the detail says what is wrong.
 */
export function readXml(text: string, invalid: (detail: string) => Error): XmlElement {
  const document: XmlElement = { name: '', text: '', children: [] };
  const open: XmlElement[] = [document];
  const innermost = (): XmlElement => open.at(-1) ?? document;
  const truncated = (): Error => invalid('The XML is truncated.');
  let position = 0;

  /** Consumes the text up to and including a delimiter; returns it without the delimiter. */
  const upTo = (delimiter: string): string => {
    const end = text.indexOf(delimiter, position);
    if (end < 0) throw truncated();
    const passed = text.slice(position, end);
    position = end + delimiter.length;
    return passed;
  };

  const wholeTag = (): string => {
    tagEnd.lastIndex = position;
    const tag = tagEnd.exec(text)?.[0];
    if (tag === undefined) throw truncated();
    position += tag.length;
    return tag;
  };

  while (position < text.length) {
    if (text[position] !== '<') {
      const end = text.indexOf('<', position);
      const run = text.slice(position, end < 0 ? text.length : end);
      position += run.length;
      if (open.length > 1) innermost().text += resolveReferences(run, invalid);
      else if (!blank.test(run)) throw invalid('The body is not XML.');
    } else if (text.startsWith('<?', position)) {
      upTo('?>');
    } else if (text.startsWith('<!--', position)) {
      upTo('-->');
    } else if (text.startsWith('<![CDATA[', position) && open.length > 1) {
      position += '<![CDATA['.length;
      innermost().text += upTo(']]>');
    } else if (text.startsWith('<!', position)) {
      throw invalid('The XML has a document type, which is not allowed.');
    } else {
      readTag(wholeTag().slice(1, -1));
    }
  }
  const [root] = document.children;
  if (open.length > 1) throw truncated();
  if (root === undefined || document.children.length > 1) throw invalid('The body is not an XML document.');
  return root;

  /** Ignores attributes: none of them matters. */
  function readTag(tag: string): void {
    const isEnd = tag.startsWith('/');
    const name = nameAtStart.exec(isEnd ? tag.slice(1) : tag)?.[0];
    if (name === undefined) throw invalid('The body is not XML.');
    if (isEnd) {
      if (open.length < 2 || innermost().name !== name) throw invalid('The XML is not well-formed: tags do not match.');
      open.pop();
      return;
    }
    if (open.length > maximumDepth) throw invalid('The XML is nested too deeply.');
    const element: XmlElement = { name, text: '', children: [] };
    innermost().children.push(element);
    if (!tag.endsWith('/')) open.push(element);
  }
}

const predefined = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['apos', "'"],
  ['quot', '"'],
]);

function resolveReferences(text: string, invalid: (detail: string) => Error): string {
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-z]{2,4})?;?/g, (whole, reference: string | undefined) => {
    const value = whole.endsWith(';') && reference !== undefined ? characterOf(reference) : undefined;
    if (value === undefined) throw invalid('The XML refers to an entity that is not predefined.');
    return value;
  });
}

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith('#')) return predefined.get(reference);
  const isHex = reference.startsWith('#x');
  const code = Number.parseInt(reference.slice(isHex ? 2 : 1), isHex ? 16 : 10);
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined;
}
