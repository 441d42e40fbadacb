import { signatureHeaders } from './signature';

// The example of the specification (Standard Webhooks 1.0).
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
};
const expected = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

test('a message is signed as the specification shows', () => {
  expect(signatureHeaders(message, [secret])).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': expected,
  });
});

test('during a rotation, a message has the signatures of both secrets', () => {
  const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const [otherSignature] = Object.values(signatureHeaders(message, [other])).slice(-1);
  expect(otherSignature).not.toBe(expected);
  expect(signatureHeaders(message, [other, secret])['webhook-signature']).toBe(`${otherSignature} ${expected}`);
});
