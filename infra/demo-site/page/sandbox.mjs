/** @import { SandboxSubjects } from './types' */
import { ask } from './backend.mjs';
import { element, show } from './view.mjs';

const part = element('sandbox', HTMLDetailsElement);
const select = element('sandbox-subject', HTMLSelectElement);

/** The subject that asks the service for the chosen refusal; undefined: the viewer's own plays. */
export function sandboxSubject() {
  return select.value === '' ? undefined : select.value;
}

/** Reads the problems that can be tried when they are first shown. */
async function readSubjects() {
  if (!part.open || select.length > 1) return;
  const { ok, answer } = await ask('GET', '/api/sandbox');
  show('sandbox-note', ok ? '' : 'The problems cannot be read right now. Close this part and open it again.');
  if (!ok || select.length > 1) return;
  const { creates, licenses } = /** @type {SandboxSubjects} */ (answer);
  select.append(group('When it starts', creates), group('When its license is requested', licenses));
}

/**
 * @param {string} label
 * @param {string[]} subjects
 */
function group(label, subjects) {
  const made = document.createElement('optgroup');
  made.label = label;
  made.append(...subjects.map((subject) => new Option(subject.replace(/^.*:/, ''), subject)));
  return made;
}

part.addEventListener('toggle', () => void readSubjects());
