const nameAtStart = /^[^\s/<>!?'"=&]{1,256}/;

export interface XmlRoot {
  /** Without its namespace prefix. */
  name: string;
  /** Whether an XML document with this root has lost its end. */
  isTruncated: boolean;
}

/**
 * The root element of an XML document (XML 1.0, section 2.8), and nothing of what is in it; undefined where the text does
 * not begin like XML. Throws what `fault` makes of a sentence where there is a document type: SOAP 1.1, section 3, has
 * none, and who reads XML with one may be led to files and addresses.
 */
export function xmlRoot(text: string, fault: (detail: string) => Error): XmlRoot | undefined {
  let rest = withoutMark(text).trimStart();
  while (rest.startsWith('<?') || rest.startsWith('<!--')) {
    const delimiter = rest.startsWith('<?') ? '?>' : '-->';
    const end = rest.indexOf(delimiter);
    if (end < 0) throw fault('The XML is truncated.');
    rest = rest.slice(end + delimiter.length).trimStart();
  }
  if (rest.startsWith('<!')) throw fault('The XML has a document type, which is not taken.');
  const name = rest.startsWith('<') ? nameAtStart.exec(rest.slice(1))?.[0] : undefined;
  if (name === undefined) return undefined;
  const isTruncated = !rest.includes(`</${name}`) && !rest.trimEnd().endsWith('/>');
  return { name: name.slice(name.indexOf(':') + 1), isTruncated };
}

/** Text without its byte order mark. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');
