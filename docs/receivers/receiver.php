<?php
// Receives events and verifies that they come from your deployment (Standard Webhooks 1.0). Without dependencies.
// WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:4000 receiver.php    PHP 8.0 or newer; in production behind your web server

declare(strict_types=1);

/** How old an event's timestamp may be, so that nobody can send a recorded one again later. */
const TOLERANCE_SECONDS = 300;

/** $body: the bytes as they were received. Parsed and written again, they would be others. */
function isVerified(string $body): bool
{
    $secret = base64_decode(preg_replace('/^whsec_/', '', (string) getenv('WEBHOOK_SECRET')), true);
    if ($secret === false || $secret === '') {
        throw new RuntimeException('WEBHOOK_SECRET is required');
    }
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $secret, true));
    // During a rotation there are two: one with the old secret and one with the new one.
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $signature) {
        if (hash_equals($expected, $signature)) {
            return true;
        }
    }
    return false;
}

$body = (string) file_get_contents('php://input');
if (!isVerified($body)) {
    http_response_code(401);
    return;
}
$event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
// Keep the ids of events in your database, and ignore those that you know: an event may come twice. Then put the event in a queue; what
// takes longer than 15 seconds counts as failed.
error_log("{$event['type']} {$event['id']}");
http_response_code(204);
