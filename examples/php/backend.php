<?php
// The backend of a page that plays. Copy the routes into your own framework; playback.php works in each.
// PLAYBACK_URL=… SITE_ID=… CLIENT_ID=… ACCESS_KEY=… php -S 127.0.0.1:4100 backend.php    in production behind your web server

declare(strict_types=1);

require __DIR__ . '/playback.php';

/** What a page may choose. The policy, and whether this viewer may watch, are for the server to decide. */
const FROM_PAGE = ['contentId', 'contentType', 'drmSystem', 'platformCapabilities', 'applicationId', 'replacesSessionId'];

function playback(): Playback
{
    return new Playback(getenv('PLAYBACK_URL'), getenv('SITE_ID'), getenv('CLIENT_ID'), getenv('ACCESS_KEY'));
}

function answer(int $status, ?array $body = null, array $headers = []): never
{
    http_response_code($status);
    foreach ($headers as $name => $value) {
        header("$name: $value");
    }
    if ($body !== null) {
        header('Content-Type: application/json');
        echo json_encode($body, JSON_THROW_ON_ERROR);
    }
    exit;
}

function play(string $viewer, array $body): never
{
    try {
        $session = playback()->createSession($viewer, array_intersect_key($body, array_flip(FROM_PAGE)));
    } catch (PlaybackProblem $refusal) {
        answerRefusal($refusal);
    } catch (NoAnswer) {
        answer(503, ['code' => 'service_unavailable']);
    }
    $_SESSION['started'][] = $session['sessionId']; // ends at logout
    answer(200, $session, ['Cache-Control' => 'no-store']);
}

/** What the page may see: no ids, no contents, no times. Members of a household often share an account. */
function answerRefusal(PlaybackProblem $refusal): never
{
    $headers = $refusal->retryAfter === null ? [] : ['Retry-After' => (string) (int) ceil($refusal->retryAfter)];
    $status = $refusal->problem['retryable'] ? 503 : 409;
    if ($refusal->problemCode !== 'concurrent_stream_limit_reached') {
        answer($status, ['code' => $refusal->problemCode], $headers);
    }
    $active = $refusal->problem['activeSessions'];
    // The sessions that the viewer may stop, by their number in this refusal.
    $_SESSION['streams'] = array_column($active, 'sessionId');
    $platforms = array_map(fn (array $session): string => $session['clientPlatform'] ?? 'unknown', $active);
    answer($status, [
        'code' => $refusal->problemCode,
        'limit' => $refusal->problem['limit'],
        'message' => 'Playing on ' . count($active) . ' devices: ' . implode(', ', $platforms),
        'streams' => array_map(
            fn (int $number, string $platform): array => ['number' => $number, 'platform' => $platform],
            array_keys($platforms),
            $platforms,
        ),
    ], $headers);
}

/** Ends the stream that the viewer has chosen, by its number in the refusal. */
function stop(string $viewer, array $body): never
{
    $number = $body['number'] ?? null;
    $sessionId = is_int($number) ? $_SESSION['streams'][$number] ?? null : null;
    if ($sessionId === null) {
        answer(404, ['code' => 'not_found']);
    }
    tellService(fn () => playback()->terminateSession($viewer, $sessionId));
}

function logOut(string $viewer): never
{
    tellService(function () use ($viewer): void {
        while (($_SESSION['started'] ?? []) !== []) {
            playback()->releaseSession($viewer, end($_SESSION['started']));
            array_pop($_SESSION['started']);
        }
    });
}

function tellService(callable $call): never
{
    try {
        $call();
    } catch (PlaybackProblem | NoAnswer) {
        answer(503, ['code' => 'service_unavailable']);
    }
    answer(204);
}

/** Yours checks a password. */
function logIn(array $body): never
{
    session_regenerate_id(true);
    $_SESSION = ['viewer' => (string) ($body['viewer'] ?? '')];
    answer(204);
}

session_start(['cookie_httponly' => true, 'cookie_samesite' => 'Lax', 'use_strict_mode' => true]);
// Pages of other sites cannot send JSON here.
if (!str_starts_with($_SERVER['CONTENT_TYPE'] ?? '', 'application/json')) {
    answer(415, ['code' => 'unsupported_media_type']);
}
$body = json_decode((string) file_get_contents('php://input') ?: '{}', true);
if (!is_array($body)) {
    answer(400, ['code' => 'invalid_request']);
}
$route = $_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$viewer = $_SESSION['viewer'] ?? null;
if ($route === 'POST /login') {
    logIn($body);
}
if ($viewer === null) {
    answer(401, ['code' => 'not_logged_in']);
}
match ($route) {
    'POST /play' => play($viewer, $body),
    'POST /stop' => stop($viewer, $body),
    'POST /logout' => logOut($viewer),
    default => answer(404, ['code' => 'not_found']),
};
