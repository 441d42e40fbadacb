const { default: Sequencer } = require('@jest/test-sequencer');
const longest = require('./longest-suites.json');

/**
 * The order in which jest starts the suites: the longest first. Where jest knows no durations from an earlier run, it goes by the size of
 * files, and a long suite in a small file would run alone at the end, while the other cores are idle.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => longest.some((suite) => path.endsWith(`/${suite}`));
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
