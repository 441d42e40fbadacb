const nameAtStart = /^[^\s/<>!?'"=&]{1,256}/;

export interface XmlRoot {
  /** Without its namespace prefix. */
  name: string;
  /** Whether the end of the document is missing. */
  isTruncated: boolean;
}

/**
 * Returns the root element of an XML document (XML 1.0, section 2.8) without parsing its content; undefined if the text
 * does not start like XML. Throws `invalid(detail)` if there is a document type: SOAP 1.1, section 3, forbids it, and
 * it could make an XML parser read files or URLs.
 */
export function xmlRoot(text: string, invalid: (detail: string) => Error): XmlRoot | undefined {
  let rest = withoutByteOrderMark(text).trimStart();
  while (rest.startsWith('<?') || rest.startsWith('<!--')) {
    const delimiter = rest.startsWith('<?') ? '?>' : '-->';
    const end = rest.indexOf(delimiter);
    if (end < 0) throw invalid('The XML is truncated.');
    rest = rest.slice(end + delimiter.length).trimStart();
  }
  if (rest.startsWith('<!')) throw invalid('The XML has a document type, which is not allowed.');
  const name = rest.startsWith('<') ? nameAtStart.exec(rest.slice(1))?.[0] : undefined;
  if (name === undefined) return undefined;
  const isTruncated = !rest.includes(`</${name}`) && !rest.trimEnd().endsWith('/>');
  return { name: name.slice(name.indexOf(':') + 1), isTruncated };
}

/** Removes a leading byte order mark. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff/, '');
