import { domainToASCII } from 'node:url';

// Control characters except tab, line feed and carriage return. One of them, NUL, cannot be stored by PostgreSQL.
const controlCharacter = /(?![\t\n\r])\p{Cc}/u;
const loneSurrogate = /\p{Surrogate}/u;

// Invisible characters: format characters (zero width, direction, soft hyphen), fillers, variation selectors, the empty
// Braille cell, and noncharacters.
const invisible = String.raw`\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800`;
const blank = /^\p{White_Space}*$/u; // unlike \s, without U+FEFF
const visibleCharacter = new RegExp(String.raw`[^\s${invisible}]`, 'u');

function hasStorableCharacters(value: string): boolean {
  return !controlCharacter.test(value) && !loneSurrogate.test(value);
}

/**
 * Whether a string has no control characters and no lone surrogates, which have no UTF-8 form. If it has no visible
 * character, it must be white space only, not invisible characters. Schemas reject blank strings with a pattern of
 * their own.
 */
export function isText(value: string): boolean {
  return hasStorableCharacters(value) && (visibleCharacter.test(value) || blank.test(value));
}

/**
 * Whether a string has the form of RFC 9562, section 4, with any version. Stricter than ajv-formats, which also accepts
 * `urn:uuid:…`; the data stores do not.
 */
export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
}

function isContentId(value: string): boolean {
  const bytes = Buffer.byteLength(value, 'utf8');
  return bytes >= 1 && bytes <= 200 && hasStorableCharacters(value);
}

// The characters of RFC 3986, section 2. Players disagree on what URL parsers repair, such as spaces, backslashes and
// other scripts.
const urlCharacters = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})+$/i;

/**
 * Rejects empty user information, too (`https://@host`): URL parsers drop it, and some clients then read another host.
 */
function isHttpUrl(value: string): boolean {
  return urlCharacters.test(value) && /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(value) && URL.canParse(value);
}

// RFC 6531, section 3.3: the dot-string of RFC 5321, section 4.1.2, whose atoms may have characters of every script. Quoted strings are
// refused: hardly any mailbox has one.
const localPart = /^[^\s\p{Cc}"(),.:;<>@[\\\]]+(?:\.[^\s\p{Cc}"(),.:;<>@[\\\]]+)*$/u;
const isAscii = /^\p{ASCII}*$/u;

/** Characters of a domain (RFC 5321, section 4.5.3.1.2). Formats are checked for longer texts, too, whatever the schema allows. */
const longestMailDomain = 255;

/** Whether a string is a domain of at least two labels (RFC 5321, section 2.3.5), also one of U-labels (RFC 5890, section 2.3.2.1). */
function isMailDomain(value: string): boolean {
  if (value.length > longestMailDomain) return false;
  // The function parses more than domains, such as a path after it.
  if (/[\s\p{Cc}/?#:@[\]\\%]/u.test(value)) return false;
  const inAscii = isAscii.test(value) ? value : domainToASCII(value);
  return /^[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(inAscii) && !value.split('.').some((label) => /^-|-$/.test(label));
}

/** Whether a string is an e-mail address, in any script (RFC 6531). */
function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  return isText(value) && localPart.test(value.slice(0, Math.max(0, at))) && isMailDomain(value.slice(at + 1));
}

const dateTimeForm = /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/**
 * Whether a string is an existing RFC 3339 time in the years 1 to 9999. Stricter than ajv-formats, which accepts leap
 * seconds and a space instead of `T`: Date and PostgreSQL do not support all such times.
 */
function isDateTime(value: string): boolean {
  const [, year, month, day] = dateTimeForm.exec(value) ?? [];
  const daysInMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const yearInUtc = new Date(value).getUTCFullYear();
  // NaN fails every comparison, so another form or an impossible date returns false.
  return Number(day) <= daysInMonth && yearInUtc >= 1 && yearInUtc <= 9999;
}

// RFC 5646, section 2.1, without the grandfathered tags.
const languageTagParts = [
  '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})', // language
  '(?:-[a-z]{4})?', // script
  '(?:-(?:[a-z]{2}|[0-9]{3}))?', // region
  '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*', // variants
  '(?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*', // extensions
  '(?:-x(?:-[a-z0-9]{1,8})+)?', // private use
];
const languageTag = new RegExp(`^(?:${languageTagParts.join('')}|x(?:-[a-z0-9]{1,8})+)$`, 'i');

/** 128 random bits have fewer different characters than this less than once in 10^12 times. */
const fewestDifferentCharacters = 6;

/**
 * Whether a string can be 128 random bits: 32 hexadecimal digits, or 22 characters of base64url (RFC 4648, section 5).
 * A UUID cannot: it is hexadecimal with hyphens and has at most 122 random bits (RFC 9562, section 5.4). Neither can a
 * placeholder such as zeros.
 */
function canBe128RandomBits(value: string): boolean {
  if (new Set(value).size < fewestDifferentCharacters) return false;
  return /^[0-9a-f]{32,}$/i.test(value) || (/^[\w-]{22,}$/.test(value) && /[g-z_]/i.test(value));
}

const stringThat = (validate: (value: string) => boolean) => ({ type: 'string' as const, validate });

/** Formats of the OpenAPI documents that JSON Schema does not define, or defines more loosely. */
export const formats = {
  uuid: stringThat(isUuid),
  'date-time': stringThat(isDateTime),
  text: stringThat(isText),
  'content-id': stringThat(isContentId),
  'http-url': stringThat(isHttpUrl),
  'idn-email': stringThat(isEmailAddress),
  'language-tag': stringThat((value) => languageTag.test(value)),
  'random-key': stringThat(canBe128RandomBits),
  'audit-action': stringThat((value) => /^[A-Za-z]+\.[A-Za-z]+$/.test(value)),
};

/** The message about a string that cannot be stored as text. */
export const textMessage =
  'must not contain control characters or unpaired surrogates, or consist of invisible characters only';

/** What callers are told about each format. */
export const formatMessages: Record<string, string> = {
  text: textMessage,
  'content-id': 'must be 1 to 200 bytes of UTF-8 without control characters',
  'http-url': 'must be an absolute http or https URL (RFC 3986) without credentials',
  'idn-email': 'must be an e-mail address',
  'language-tag': 'must be a BCP 47 language tag',
  'random-key':
    'must be at least 32 hexadecimal digits or 22 characters of base64url, generated from 128 random bits (a UUID has fewer)',
  'audit-action': 'must be a record type and a verb, such as contentAsset.publish',
  uuid: 'must be a UUID',
  'date-time': 'must be an RFC 3339 time, such as 2026-01-31T12:00:00Z',
};
