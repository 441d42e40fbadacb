import { webAddress } from './repository-address';

test.each([
  ['https://github.com/owner/name.git', 'https://github.com/owner/name'],
  ['https://github.com/owner/name/', 'https://github.com/owner/name'],
  ['git@gitlab.example:group/owner/name.git', 'https://gitlab.example/group/owner/name'],
  ['ssh://git@code.example:2222/owner/name.git', 'https://code.example/owner/name'],
  ['http://code.example:3000/owner/name', 'http://code.example:3000/owner/name'],
  ['https://user:secret@code.example/owner/name.git', 'https://code.example/owner/name'],
  ['/srv/git/name.git', undefined],
  ['file:///srv/git/name.git', undefined],
  ['../name', undefined],
  ['', undefined],
])('the repository of the remote %j is on the web at %s', (remote, address) => {
  expect(webAddress(remote)).toBe(address);
});
