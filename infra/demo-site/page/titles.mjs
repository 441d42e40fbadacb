/** @import { SiteState } from './types' */
import { element } from './view.mjs';

const select = element('title', HTMLSelectElement);

/**
 * Offers the titles, once they are known.
 * @param {SiteState['titles']} titles
 */
export function showTitles(titles) {
  if (select.length > 0) return;
  select.append(...titles.map(({ contentId, title }) => new Option(title, contentId)));
}

/** The content id of the title that the viewer has chosen. */
export function chosenTitle() {
  return select.value;
}

/** @param {string} contentId */
export function chooseTitle(contentId) {
  select.value = contentId;
}

/** @param {() => void} switchTo called when the viewer has chosen another title */
export function onOtherTitle(switchTo) {
  select.addEventListener('change', switchTo);
}
