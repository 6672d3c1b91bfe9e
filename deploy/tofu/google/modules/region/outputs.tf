output "servers" {
  description = "The servers' machines, by name."
  value = { for name, one in google_compute_instance.server : name => {
    public  = one.network_interface[0].access_config[0].nat_ip
    private = one.network_interface[0].network_ip
  } }
}

output "clients" {
  description = "The client machines, by name."
  value = { for name, one in google_compute_instance.client : name => {
    public  = one.network_interface[0].access_config[0].nat_ip
    private = one.network_interface[0].network_ip
  } }
}
