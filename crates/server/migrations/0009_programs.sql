-- The tokens that programs make for themselves are known by their ids: a label is whatever somebody wrote. These are the
-- labels of the former ones.
UPDATE tokens SET id = 'program-' || id
    WHERE label IN ('endpoint.json', 'command on this computer', 'terminal on this computer');
