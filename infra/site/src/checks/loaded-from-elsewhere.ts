import { builtFiles } from './built-files';

/** Elements that load what they name. Links of `<a>` load nothing. */
const loading =
  /<(?:script|link|img|iframe|source|audio|video|track|embed|object|input)\s[^>]*?\b(?:src|href|srcset|data|poster)="(?:[a-z]+:)?\/\/[^"]*"/gi;
const loadingInStyles = /(?:url\(\s*|@import\s+)["']?(?:https?:)?\/\/[^"')]*/gi;

/**
 * What pages and styles of a built site load from elsewhere, as `file: element`, and the pages without the policy that keeps browsers,
 * and with them every script, from doing so.
 */
export function loadedFromElsewhere(site: string): string[] {
  const pages = [...builtFiles(site, '.html')];
  const styles = [...builtFiles(site, '.css')];
  const unprotected = pages.filter(
    ([, html]) => !/<meta http-equiv="Content-Security-Policy" content="default-src 'self';/.test(html),
  );
  return [
    ...pages.flatMap(([file, html]) => [...html.matchAll(loading)].map(([element]) => `${file}: ${element}`)),
    ...[...pages, ...styles].flatMap(([file, text]) =>
      [...text.matchAll(loadingInStyles)].map(([rule]) => `${file}: ${rule}`),
    ),
    ...unprotected.map(([file]) => `${file}: has no Content-Security-Policy`),
  ];
}
